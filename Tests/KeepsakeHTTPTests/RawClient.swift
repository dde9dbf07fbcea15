import KeepsakeFiles
import KeepsakeHTTP
import Testing

/// A client that sends any bytes, and reads what comes.
final class RawClient {
  let socket: StreamSocket
  private(set) var received: [UInt8] = []
  private let deadline = Instant.now.advanced(by: .seconds(60))

  struct Late: Error {}
  struct Ended: Error {
    let received: String
  }

  init(port: Int, address: String = "127.0.0.1") throws {
    socket = try StreamSocket(address: address, port: port, deadline: deadline)
  }

  init(unixPath: String) throws { socket = try StreamSocket(unixPath: unixPath) }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// Sends all bytes; throws where the server is gone.
  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      switch socket.send(bytes, from: sent) {
      case .moved(let count): sent += count
      case .ended: throw Ended(received: String(decoding: received, as: UTF8.self))
      case .wouldWait:
        guard Readiness.wait(for: socket, reading: false, writing: true, until: deadline) else {
          throw Late()
        }
      }
    }
  }

  func endSending() { socket.endSending() }

  /// Receives some bytes; false at the end.
  func receive(limit: Int = 1 << 20) throws -> Bool {
    while true {
      switch socket.receive(into: &received, limit: limit) {
      case .moved: return true
      case .ended: return false
      case .wouldWait:
        guard Readiness.wait(for: socket, reading: true, writing: false, until: deadline) else {
          throw Late()
        }
      }
    }
  }

  /// Whether the server has closed the connection, after whatever it still sent.
  func isEnded() throws -> Bool {
    while try receive() {}
    return true
  }

  /// The next answer, with its body.
  func reply(isHead: Bool = false) throws -> Reply {
    while true {
      if let (reply, length) = Reply.first(in: received, isHead: isHead, isEnd: false) {
        received.removeFirst(length)
        return reply
      }
      if try receive() { continue }
      guard let (reply, length) = Reply.first(in: received, isHead: isHead, isEnd: true) else {
        throw Ended(received: String(decoding: received.prefix(1000), as: UTF8.self))
      }
      received.removeFirst(length)
      return reply
    }
  }

  /// Every answer until the server closes.
  func replies() throws -> [Reply] {
    var replies: [Reply] = []
    while try receive() {}
    while let (reply, length) = Reply.first(in: received, isHead: false, isEnd: true) {
      replies.append(reply)
      received.removeFirst(length)
    }
    return replies
  }

  /// Receives until a text has come.
  func wait(for text: String) throws {
    while !String(decoding: received, as: UTF8.self).contains(text) {
      guard try receive() else {
        throw Ended(received: String(decoding: received, as: UTF8.self))
      }
    }
  }
}

/// An answer as a client reads it.
struct Reply {
  let status: Int
  let fields: HTTPFields
  let body: [UInt8]

  var text: String { String(decoding: body, as: UTF8.self) }

  /// The first answer of some bytes, and its length; nil where more is needed.
  static func first(in bytes: [UInt8], isHead: Bool, isEnd: Bool) -> (Reply, Int)? {
    guard let end = headEnd(bytes) else { return nil }
    let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
    guard let line = lines.first, line.hasPrefix("HTTP/1.1 "),
      let status = Int(line.dropFirst(9).prefix(3))
    else { return nil }
    var fields = HTTPFields()
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      fields.append(String(parts[0]), String(parts[1].dropFirst()))
    }
    if isHead || status < 200 || status == 204 || status == 304 {
      return (Reply(status: status, fields: fields, body: []), end)
    }
    if let length = fields["Content-Length"].flatMap({ Int($0) }) {
      guard bytes.count >= end + length else { return nil }
      return (
        Reply(status: status, fields: fields, body: Array(bytes[end..<(end + length)])),
        end + length
      )
    }
    if fields["Transfer-Encoding"] == "chunked" {
      guard let (body, next) = pieces(bytes, from: end) else { return nil }
      return (Reply(status: status, fields: fields, body: body), next)
    }
    guard isEnd else { return nil }
    return (Reply(status: status, fields: fields, body: Array(bytes[end...])), bytes.count)
  }

  private static func headEnd(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4 else { return nil }
    return (4...bytes.count).first { bytes[($0 - 4)..<$0].elementsEqual("\r\n\r\n".utf8) }
  }

  private static func pieces(_ bytes: [UInt8], from start: Int) -> ([UInt8], Int)? {
    var body: [UInt8] = []
    var at = start
    while let line = bytes[at...].firstIndex(of: 0x0A) {
      let text = String(decoding: bytes[at..<(line - 1)], as: UTF8.self)
      guard let size = Int(text, radix: 16), bytes.count >= line + 1 + size + 2 else { return nil }
      body += bytes[(line + 1)..<(line + 1 + size)]
      at = line + 1 + size + 2
      if size == 0 { return (body, at) }
    }
    return nil
  }
}
