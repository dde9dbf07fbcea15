import Files

/// Tells requests that their patience is over while the writer's own thread is stuck in the queue for
/// the lock: a wait in `flock` has no deadline.
final class LockWatch: Sendable {
  private struct State {
    var isBlocked = false
    var isStopped = false
    var hasThread = false
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
    let needsThread = monitor.withLock { state in
      state.isBlocked = true
      defer { state.hasThread = true }
      return !state.hasThread
    }
    if needsThread {
      // Started late: most writers never meet another one.
      _ = WorkerThread(name: "keepsake.watch") { [self] in watch() }
    } else {
      monitor.signal()
    }
    defer {
      queue.setBlocked(false)
      monitor.withLock { $0.isBlocked = false }
      monitor.signal()
    }
    return try body()
  }

  /// Ends the thread.
  func stop() {
    monitor.withLock { $0.isStopped = true }
    monitor.signal()
  }

  private func watch() {
    while monitor.wait(for: { $0.isStopped ? false : $0.isBlocked ? true : nil }) == true {
      var next = queue.expire { [lock] in lock.blocker }
      while monitor.wait(until: next, for: { $0.isStopped || !$0.isBlocked ? true : nil }) == nil {
        next = queue.expire { [lock] in lock.blocker }
      }
    }
  }
}
