import Dispatch

/// A thread for a task that a test stops in the middle by blocking it.
///
/// The threads that all tasks share are as many as there are processors: two tests that block one each stop the whole suite
/// on a machine with two, and one test does on a machine with one.
package final class OwnThread: TaskExecutor {
  private let queue = DispatchQueue(label: "keepsake.tests.own-thread")

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }
}
