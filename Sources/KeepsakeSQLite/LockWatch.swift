import KeepsakeFiles

/// Watches over the writer's thread while it waits for the store's lock, because a wait in `flock` has no deadline.
///
/// The watch fails requests whose patience is over. If the lock is free but a stopped process stands before us in the queue,
/// the watch's own thread serves the requests, because nothing can end the other thread's wait.
final class LockWatch: Sendable {
  /// The state that the watch's thread and the waiting thread share.
  private struct State {
    /// The time at which the writer's thread began to wait; nil while it does not wait.
    var blockedSince: Instant?
    var isStopped = false
    /// Whether the watch's thread serves requests, or is about to, until the last answer is given.
    var isServing = false
    var hasThread = false
    /// Whether the watch's thread wakes by itself, without a signal.
    var hasAlarm = false
    /// The closure that serves the waiting requests under the lock.
    var serve: (@Sendable () -> Void)?
  }

  /// How long the writer's thread waits before the watch looks whether the queue is stuck, and the interval of later looks.
  static let turn: Duration = .milliseconds(100)
  static let interval: Duration = .milliseconds(10)

  private let queue: WriterQueue
  private let lock: FairLock
  private let monitor = Monitor(State())

  init(queue: WriterQueue, lock: FairLock) {
    self.queue = queue
    self.lock = lock
  }

  /// Runs the body, which waits for the lock, under watch.
  ///
  /// Meanwhile the watch's thread may take the lock and call `serve`.
  func during<R>(serve: @escaping @Sendable () -> Void, _ body: () throws -> R) rethrows -> R {
    queue.setBlocked(true)
    let (needsThread, wakes) = monitor.withLock { state in
      state.blockedSince = .now
      state.serve = serve
      defer { state.hasThread = true }
      return (!state.hasThread, !state.hasAlarm)
    }
    if needsThread {
      // The thread is started only at the first wait, because most writers never meet another process.
      _ = WorkerThread(name: "keepsake.watch") { [self] in watch() }
    } else if wakes {
      monitor.signal()
    }
    defer {
      queue.setBlocked(false)
      // The lock becomes free as soon as the watch releases it, but the watch may still have answers to give.
      monitor.wait { state -> Void? in
        if state.isServing { return nil }
        state.blockedSince = nil
        return ()
      }
    }
    return try body()
  }

  /// Ends the watch's thread.
  func stop() {
    monitor.withLock { state in
      state.isStopped = true
      state.serve = nil
    }
    monitor.signal()
  }

  /// Runs on the watch's thread, which sleeps until the next moment to look.
  ///
  /// The thread sleeps on even when the lock is taken and released meanwhile: waking it each time would cost more than waking
  /// it a few times a second.
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
      // The writer's thread gets the same error at its own turn.
      return
    }
    serve()
  }
}
