import KeepsakeFiles

/// Runs tasks on the thread that waits for them.
///
/// A handler is async, and its connection has a thread that blocks until the answer is there. That thread runs the
/// handler's task itself, so that a handler which blocks takes no thread from all other tasks, and one that does not
/// wait for anything is never handed from thread to thread.
final class HandlerThread: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    /// Whether the thread is there to run jobs.
    var isOpen = false
    var isDone = false
  }

  private let state = Monitor(State())

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isTaken = state.withLock { state in
      if state.isOpen { state.jobs.append(job) }
      return state.isOpen
    }
    if isTaken {
      state.signal()
    } else {
      // Work of an actor that the task used may come when the task has ended and the thread is elsewhere.
      globalConcurrentExecutor.enqueue(ExecutorJob(job))
    }
  }

  /// Runs a task on this thread, and returns when it has ended.
  /// - Parameters:
  ///   - begun: Gets a call that cancels the task, before the task runs.
  ///   - body: The task.
  func run<Value: Sendable>(
    _ begun: (@escaping @Sendable () -> Void) -> Void,
    _ body: @escaping @Sendable () async -> Value
  ) -> Value {
    state.withLock { state in
      state.isOpen = true
      state.isDone = false
    }
    let result = Locked<Value?>(nil)
    let task = Task(executorPreference: self) {
      let value = await body()
      result.withLock { $0 = value }
      self.state.withLock { $0.isDone = true }
      self.state.signal()
    }
    begun { task.cancel() }
    runJobs()
    guard let value = result.withLock({ $0 }) else {
      preconditionFailure("A task has ended without a result")
    }
    return value
  }

  private func runJobs() {
    let executor = asUnownedTaskExecutor()
    while true {
      // No job is nil where the task has ended, and nothing else is to be run.
      let next = state.wait { state -> UnownedJob?? in
        if !state.jobs.isEmpty { return state.jobs.removeFirst() }
        if !state.isDone { return nil }
        state.isOpen = false
        return .some(nil)
      }
      guard case .some(.some(let job)) = next else { return }
      job.runSynchronously(on: executor)
    }
  }
}
