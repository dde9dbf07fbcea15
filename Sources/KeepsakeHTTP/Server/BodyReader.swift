import KeepsakeFiles

/// Reads the body of a request, while the connection belongs to the thread that answers it.
final class BodyReader: @unchecked Sendable {
  // `@unchecked`: one thread at a time reads, which the stream that is given to a handler sees to by its lock.
  private let connection: Connection
  private var gate: RateGate

  init(_ connection: Connection, limits: HTTPLimits) {
    self.connection = connection
    gate = RateGate(limits)
  }

  /// Tells the client that it may send the body, if it has not begun to.
  func askForIt() throws(HTTPRefusal) {
    guard connection.input.isEmpty else { return }
    let text = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
    // The few bytes fit into what the system holds for a client, unless that has taken none of many answers.
    guard connection.socket.send(text) == .moved(text.count) else { throw left }
  }

  /// The whole body.
  func all(_ count: Int) throws(HTTPRefusal) -> [UInt8] {
    if count == 0 { return [] }
    var body: [UInt8] = []
    // The client's word is believed for so much; beyond that, memory follows what arrives.
    body.reserveCapacity(min(count, 1 << 20))
    while body.count < count { body += try next(min(count - body.count, 256 << 10)) }
    return body
  }

  /// The next bytes, at least one and not more than the limit.
  func next(_ limit: Int) throws(HTTPRefusal) -> [UInt8] {
    if !connection.input.isEmpty {
      let count = min(limit, connection.input.count)
      let piece = Array(connection.input[..<count])
      connection.input.removeFirst(count)
      return piece
    }
    while true {
      var piece: [UInt8] = []
      switch connection.socket.receive(into: &piece, limit: limit) {
      case .moved(let count):
        gate.note(count)
        return piece
      case .ended: throw left
      case .wouldWait:
        if gate.isTooSlow() {
          throw HTTPRefusal(.requestTimeout, "The body came too slowly.")
        }
        _ = Readiness.wait(
          for: connection.socket, reading: true, writing: false, until: gate.deadline)
      }
    }
  }

  private var left: HTTPRefusal {
    HTTPRefusal(.badRequest, "The body ended before its size.")
  }
}
