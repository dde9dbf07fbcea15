import KeepsakeFiles

extension WaitingRoom {
  /// Takes the clients that have come.
  mutating func takeClients(_ now: Instant) {
    if let paused = pausedUntil {
      if paused <= now { pausedUntil = nil }
      return
    }
    for (index, listener) in listeners.enumerated() where readiness.isReady(1 + index) {
      do throws(FileError) {
        // Not all of a crowd at once, so that those who are in are not forgotten.
        for _ in 0..<64 {
          guard let socket = try listener.accept() else { break }
          take(socket, now)
        }
      } catch {
        // The client waits in the system's queue, which makes the listener ready again and again.
        if !makeRoom() { pausedUntil = now.advanced(by: .milliseconds(100)) }
      }
    }
  }

  private mutating func take(_ socket: StreamSocket, _ now: Instant) {
    if core.register.count >= core.limits.connections, !makeRoom() {
      var heads = ResponseHead(limits: core.limits)
      let refusal = HTTPRefusal(.unavailable, "Too many connections are open. Try again later.")
      let answer = heads.outgoing(core.response(refusal), to: nil, closes: true)
      _ = answer.advance(socket) { _ in nil }
      socket.endSending()
      return
    }
    let connection = Connection(socket, limits: core.limits, register: core.register)
    connection.since = now
    connection.deadline = now.advanced(by: core.limits.idleTime)
    connections.append(connection)
  }

  /// Closes the connection that has waited longest for a request; false where there is none.
  private mutating func makeRoom() -> Bool {
    func rank(_ connection: Connection) -> Int? {
      switch connection.phase {
      case .ending: 0
      case .head: connection.parser.hasBegun ? 2 : 1
      case .sending, .events: nil
      }
    }
    let found = connections.indices.filter { rank(connections[$0]) != nil }.min { left, right in
      let (one, other) = (connections[left], connections[right])
      return (rank(one) ?? 0, one.since) < (rank(other) ?? 0, other.since)
    }
    guard let found else { return false }
    connections.remove(at: found)
    return true
  }
}
