import Files

/// Tells requests that their patience is over while the writer's own thread is stuck in the queue for
/// the lock: a wait in `flock` has no deadline.
final class LockWatch: Sendable {
  private struct State {
    var isBlocked = false
    var isStopped = false
    var hasThread = false
    /// Whether the thread wakes by itself, before anybody's patience is over.
    var hasAlarm = false
  }

  private let queue: WriterQueue
  private let lock: FairLock
  private let monitor = Monitor(State())

  init(queue: WriterQueue, lock: FairLock) {
    self.queue = queue
    self.lock = lock
  }

  /// Runs the body, which waits for the lock, under watch.
  func during<R>(_ body: () throws -> R) rethrows -> R {
    queue.setBlocked(true)
    let (needsThread, wakes) = monitor.withLock { state in
      state.isBlocked = true
      defer { state.hasThread = true }
      return (!state.hasThread, !state.hasAlarm)
    }
    if needsThread {
      // Started late: most writers never meet another one.
      _ = WorkerThread(name: "keepsake.watch") { [self] in watch() }
    } else if wakes {
      monitor.signal()
    }
    defer {
      queue.setBlocked(false)
      monitor.withLock { $0.isBlocked = false }
    }
    return try body()
  }

  /// Ends the thread.
  func stop() {
    monitor.withLock { $0.isStopped = true }
    monitor.signal()
  }

  /// Sleeps from one deadline to the next, however often the lock comes and goes meanwhile: all wait equally long, so
  /// nobody who comes later gives up sooner.
  private func watch() {
    while true {
      let goesOn = monitor.wait { state in
        if state.isStopped { return false }
        state.hasAlarm = state.isBlocked
        return state.isBlocked ? true : nil
      }
      guard goesOn == true else { return }
      let next = queue.expire { [lock] in lock.blocker }
      monitor.wait(until: next) { $0.isStopped ? () : nil }
    }
  }
}
