import KeepsakeFiles

/// Sends the events of a stream to its client, from the reception's thread.
struct EventSending {
  let core: ServerCore
  let now: Instant

  private static let signOfLife = Array(":\n\n".utf8)

  /// Sends what there is to send; returns whether the stream goes on.
  /// - Parameters:
  ///   - connection: The connection of the stream.
  ///   - isReady: Whether the client can take more, sent something, or is gone.
  ///   - isBeat: Whether it is time for a sign of life.
  func serve(_ connection: Connection, _ isReady: Bool, _ isBeat: Bool) -> Bool {
    guard case .events(let stream, var bytes, var sent) = connection.phase else { return false }
    if isReady, hasLeft(connection) {
      stream.finish(.clientLeft)
      return false
    }
    if isBeat, bytes.isEmpty { _ = stream.add(Self.signOfLife) }
    while true {
      if sent == bytes.count {
        let next = stream.take()
        if next.end == .tooSlow || next.end == .clientLeft { return false }
        (bytes, sent) = (next.bytes, 0)
        if bytes.isEmpty {
          connection.phase = .events(stream, [], sent: 0)
          connection.deadline = nil
          return next.end == nil ? true : end(connection)
        }
      }
      switch connection.socket.send(bytes, from: sent) {
      case .moved(let count):
        sent += count
        stream.note(sent: count)
        connection.deadline = nil
      case .ended:
        stream.finish(.clientLeft)
        return false
      case .wouldWait:
        if stream.end == .tooSlow { return false }
        if let deadline = connection.deadline, deadline <= now {
          stream.finish(.tooSlow)
          return false
        }
        connection.deadline = connection.deadline ?? now.advanced(by: core.limits.patience)
        connection.phase = .events(stream, bytes, sent: sent)
        return true
      }
    }
  }

  /// Returns whether the client is gone. What it sends is thrown away: a listener has nothing to say.
  private func hasLeft(_ connection: Connection) -> Bool {
    var bytes: [UInt8] = []
    switch connection.socket.receive(into: &bytes, limit: 4 << 10) {
    case .ended: return true
    case .moved, .wouldWait: return false
    }
  }

  private func end(_ connection: Connection) -> Bool {
    connection.socket.endSending()
    connection.phase = .ending(64 << 10)
    connection.deadline = now.advanced(by: .milliseconds(500))
    return true
  }
}
