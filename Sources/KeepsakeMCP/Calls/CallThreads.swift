import KeepsakeFiles

/// A few threads for tasks that block while they read a store.
///
/// The threads that all tasks share are as many as there are processors: slow calls would hold up everything else there.
/// A thread is started when there is work for it, and ends with the executor.
final class CallThreads: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var idle = 0
    var threads = 0
    var isEnded = false
  }

  /// The jobs, which outlive the executor until its threads have ended.
  private final class Line: Sendable {
    let monitor = Monitor(State())

    func next() -> UnownedJob? {
      let job: UnownedJob?? = monitor.wait { state in
        if !state.jobs.isEmpty { return .some(state.jobs.removeFirst()) }
        return state.isEnded ? .some(nil) : nil
      }
      return job ?? nil
    }

    func work(on executor: UnownedTaskExecutor) {
      while true {
        monitor.withLock { $0.idle += 1 }
        let job = next()
        monitor.withLock { $0.idle -= 1 }
        guard let job else { return }
        job.runSynchronously(on: executor)
      }
    }
  }

  private let line = Line()
  private let limit: Int

  init(_ limit: Int) { self.limit = limit }

  deinit {
    line.monitor.withLock { $0.isEnded = true }
    line.monitor.broadcast()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let limit = limit
    let startsThread = line.monitor.withLock { state in
      state.jobs.append(job)
      guard state.jobs.count > state.idle, state.threads < limit else { return false }
      state.threads += 1
      return true
    }
    line.monitor.signal()
    guard startsThread else { return }
    let line = line
    let executor = asUnownedTaskExecutor()
    do {
      _ = try WorkerThread(starting: "keepsake-call") { line.work(on: executor) }
    } catch {
      // The threads that are there do the work; without any, nothing could ever be answered.
      let isAlone = line.monitor.withLock { state in
        state.threads -= 1
        return state.threads == 0
      }
      if isAlone { fatalError(error.description) }
    }
  }
}
