import Dispatch
import KeepsakeFiles

/// A thread for one task that knows how long it was busy.
final class MeteredThread: TaskExecutor {
  private let queue = DispatchQueue(label: "keepsake.tests.metered-thread")
  private let time = Locked(Duration.zero)

  /// How long a work keeps the processor busy where its task runs.
  static func busy(during work: () async throws -> Void) async rethrows -> Duration {
    let thread = MeteredThread()
    try await withTaskExecutorPreference(thread, operation: work)
    // The job that goes on here from there may not have been noted yet.
    return thread.queue.sync { thread.time.withLock { $0 } }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    queue.async {
      let before = processorTimeOfThread()
      job.runSynchronously(on: executor)
      let busy = processorTimeOfThread() - before
      self.time.withLock { $0 += busy }
    }
  }
}
