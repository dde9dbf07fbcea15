import KeepsakeFiles

/// The sockets of all connections, so that they can be counted and cut off.
final class ConnectionRegister: Sendable {
  private struct State {
    var sockets: [ObjectIdentifier: StreamSocket] = [:]
    var streams = 0
  }

  private let state = Monitor(State())

  /// The number of open connections.
  var count: Int { state.withLock { $0.sockets.count } }

  func add(_ socket: StreamSocket) {
    state.withLock { $0.sockets[ObjectIdentifier(socket)] = socket }
  }

  /// Counts one more event stream, unless there are so many.
  func addStream(limit: Int) -> Bool {
    state.withLock { state in
      if state.streams >= limit { return false }
      state.streams += 1
      return true
    }
  }

  /// Forgets a connection.
  func remove(_ socket: StreamSocket, isStream: Bool) {
    let isLast = state.withLock { state in
      state.sockets[ObjectIdentifier(socket)] = nil
      if isStream { state.streams -= 1 }
      return state.sockets.isEmpty
    }
    if isLast { state.broadcast() }
  }

  /// Waits until there is no connection; false where the deadline passed before.
  func waitUntilEmpty(_ deadline: Instant) -> Bool {
    state.wait(until: deadline) { $0.sockets.isEmpty ? true : nil } ?? false
  }

  /// Cuts all connections off.
  func endAll() {
    for socket in state.withLock({ Array($0.sockets.values) }) { socket.end() }
  }
}
