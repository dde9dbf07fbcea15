import KeepsakeFiles

/// Looks after the writer's own thread while that is stuck in the queue for the lock: a wait in `flock` has no deadline.
///
/// Tells requests that their patience is over. And where the lock is free all the same, because a process was stopped
/// in the queue before us, serves them by itself: nothing brings the other thread out of its wait.
final class LockWatch: Sendable {
  private struct State {
    /// Since when the writer's thread waits; nil while it does not.
    var blockedSince: Instant?
    var isStopped = false
    /// Whether the watch's thread is about to serve, or does, to the last answer.
    var isServing = false
    var hasThread = false
    /// Whether the thread wakes by itself, before it is needed.
    var hasAlarm = false
    /// Serves those that wait, under the lock.
    var serve: (@Sendable () -> Void)?
  }

  /// How long one waits in the queue before one looks whether it moves at all, and how often one looks from then on.
  static let turn: Duration = .milliseconds(100)
  static let interval: Duration = .milliseconds(10)

  private let queue: WriterQueue
  private let lock: FairLock
  private let monitor = Monitor(State())

  init(queue: WriterQueue, lock: FairLock) {
    self.queue = queue
    self.lock = lock
  }

  /// Runs the body, which waits for the lock, under watch; meanwhile `serve` may run, under the lock, on a thread of
  /// the watch's.
  func during<R>(serve: @escaping @Sendable () -> Void, _ body: () throws -> R) rethrows -> R {
    queue.setBlocked(true)
    let (needsThread, wakes) = monitor.withLock { state in
      state.blockedSince = .now
      state.serve = serve
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
      // The lock comes as soon as the watch lets go of it, which has answers to give then.
      monitor.wait { state -> Void? in
        if state.isServing { return nil }
        state.blockedSince = nil
        return ()
      }
    }
    return try body()
  }

  /// Ends the thread.
  func stop() {
    monitor.withLock { state in
      state.isStopped = true
      state.serve = nil
    }
    monitor.signal()
  }

  /// Sleeps from one moment to the next, however often the lock comes and goes meanwhile: waking it each time would cost
  /// those who take turns quickly more than it does to wake a few times a second.
  private func watch() {
    while true {
      let blocked: (since: Instant, serve: @Sendable () -> Void)?? = monitor.wait { state in
        if state.isStopped { return .some(nil) }
        state.hasAlarm = state.blockedSince != nil
        guard let since = state.blockedSince, let serve = state.serve else { return nil }
        return (since, serve)
      }
      guard let blocked = blocked ?? nil else { return }
      let expiry = queue.expire { [lock] in lock.blocker }
      let turn = blocked.since.advanced(by: Self.turn)
      let now = Instant.now
      if turn <= now { serveOutOfTurn(blocked.serve) }
      let next = min(expiry, max(turn, now.advanced(by: Self.interval)))
      monitor.wait(until: next) { $0.isStopped ? () : nil }
    }
  }

  private func serveOutOfTurn(_ serve: () -> Void) {
    let mayServe = monitor.withLock { state in
      state.isServing = state.blockedSince != nil
      return state.isServing
    }
    guard mayServe else { return }
    defer {
      monitor.withLock { $0.isServing = false }
      monitor.signal()
    }
    do {
      guard !queue.isEmpty, try lock.tryLockOutOfTurn() else { return }
    } catch {
      // Whoever is in the queue will be told the same when it is their turn.
      return
    }
    serve()
  }
}
