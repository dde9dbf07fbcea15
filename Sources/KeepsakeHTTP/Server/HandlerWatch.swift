import KeepsakeFiles

/// Cancels the tasks of handlers whose clients have gone away.
///
/// The reception looks at the clients of running handlers a few times in a second, for as long as one is running. When
/// none is, nobody looks.
final class HandlerWatch: Sendable {
  private struct Running {
    let socket: StreamSocket
    let began: Instant
    let cancel: @Sendable () -> Void
  }

  private struct State {
    var running: [Int: Running] = [:]
    /// The moment of the next look; nil where nobody looks.
    var next: Instant?
    var hasBeenBusy = false
  }

  private static let interval = Duration.milliseconds(200)
  private let state = Locked(State())

  /// Begins to watch the task of a worker; returns whether the reception has to be woken.
  func begin(_ worker: Int, _ socket: StreamSocket, cancel: @escaping @Sendable () -> Void) -> Bool
  {
    let now = Instant.now
    return state.withLock { state in
      state.running[worker] = Running(socket: socket, began: now, cancel: cancel)
      state.hasBeenBusy = true
      if state.next != nil { return false }
      state.next = now.advanced(by: Self.interval)
      return true
    }
  }

  /// Ends watching the task of a worker.
  func end(_ worker: Int) { state.withLock { $0.running[worker] = nil } }

  /// The number of handlers that run.
  var count: Int { state.withLock { $0.running.count } }

  /// The moment at which ``look()`` is to be called; nil where nothing runs.
  var deadline: Instant? { state.withLock { $0.next } }

  /// Looks at the clients, and cancels the tasks of those that have gone away.
  func look() {
    let now = Instant.now
    let running = state.withLock { state -> [Running] in
      guard let next = state.next, next <= now else { return [] }
      state.next = state.hasBeenBusy ? now.advanced(by: Self.interval) : nil
      state.hasBeenBusy = !state.running.isEmpty
      return state.running.values.filter { now - $0.began >= .milliseconds(100) }
    }
    for task in running where task.socket.isLeft { task.cancel() }
  }

  /// Cancels the tasks of all handlers.
  func cancelAll() {
    let running = state.withLock { Array($0.running.values) }
    for task in running { task.cancel() }
  }
}
