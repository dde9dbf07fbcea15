import Foundation
import KeepsakeFiles
import KeepsakeHTTP

/// A client that sends any bytes, and reads what comes. It never blocks the thread of a task.
final class Client {
  let socket: StreamSocket
  private(set) var received: [UInt8] = []
  private let deadline = Instant.now.advanced(by: .seconds(120))

  struct Late: Error {}
  struct Ended: Error {
    let received: String
  }

  init(port: Int) throws {
    socket = try StreamSocket(
      address: "127.0.0.1", port: port, deadline: Instant.now.advanced(by: .seconds(60)))
  }

  init(unixPath: String) throws { socket = try StreamSocket(unixPath: unixPath) }

  func send(_ text: String) async throws { try await send(Array(text.utf8)) }

  /// Sends all bytes; throws where the server is gone.
  func send(_ bytes: [UInt8]) async throws {
    var sent = 0
    while sent < bytes.count {
      switch socket.send(bytes, from: sent) {
      case .moved(let count): sent += count
      case .ended: throw Ended(received: String(decoding: received, as: UTF8.self))
      case .wouldWait: try await pause()
      }
    }
  }

  /// Receives some bytes; false at the end.
  func receive() async throws -> Bool {
    while true {
      switch socket.receive(into: &received, limit: 1 << 20) {
      case .moved: return true
      case .ended: return false
      case .wouldWait: try await pause()
      }
    }
  }

  private func pause() async throws {
    if deadline < Instant.now { throw Late() }
    try await Task.sleep(for: .milliseconds(1))
  }

  /// The next answer, with its body.
  func answer(isHead: Bool = false) async throws -> Answer {
    while true {
      if let (answer, length) = Answer.first(in: received, isHead: isHead) {
        received.removeFirst(length)
        return answer
      }
      guard try await receive() else {
        throw Ended(received: String(decoding: received.prefix(1000), as: UTF8.self))
      }
    }
  }

  /// Receives until a text has come, and gives what came up to its end.
  func wait(for text: String) async throws -> String {
    while true {
      let all = String(decoding: received, as: UTF8.self)
      if let range = all.range(of: text) {
        let found = String(all[..<range.upperBound])
        received.removeFirst(found.utf8.count)
        return found
      }
      guard try await receive() else { throw Ended(received: all) }
    }
  }
}

/// An answer as a client reads it.
struct Answer {
  let status: Int
  let fields: HTTPFields
  /// The lines of the head, with line breaks.
  let head: String
  let body: [UInt8]

  var text: String { String(decoding: body, as: UTF8.self) }

  /// The first answer of some bytes, and its length; nil where more is needed.
  static func first(in bytes: [UInt8], isHead: Bool) -> (Answer, Int)? {
    guard bytes.count >= 4,
      let end = (4...bytes.count).first(where: {
        bytes[($0 - 4)..<$0].elementsEqual("\r\n\r\n".utf8)
      })
    else { return nil }
    let head = String(decoding: bytes[..<end], as: UTF8.self)
    let lines = head.split(separator: "\r\n")
    guard let status = lines.first.flatMap({ Int($0.dropFirst(9).prefix(3)) }) else { return nil }
    var fields = HTTPFields()
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      fields.append(String(parts[0]), String(parts[1].drop { $0 == " " }))
    }
    var length = 0
    if !isHead, status >= 200, status != 204, status != 304 {
      length = fields["Content-Length"].flatMap { Int($0) } ?? 0
    }
    guard bytes.count >= end + length else { return nil }
    return (
      Answer(status: status, fields: fields, head: head, body: Array(bytes[end..<(end + length)])),
      end + length
    )
  }
}

/// A request as a test writes it.
struct Asked {
  var method = "GET"
  var path: String
  var host: String
  var fields: [(String, String)] = []
  var body: [UInt8]?

  /// The bytes of the request, with as much of the body as is to be sent.
  func bytes(bodyPrefix: Int = .max) -> [UInt8] {
    var text = "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\n"
    for (name, value) in fields { text += "\(name): \(value)\r\n" }
    if let body, !fields.contains(where: { $0.0 == "Content-Length" }) {
      text += "Content-Length: \(body.count)\r\n"
    }
    return Array((text + "\r\n").utf8) + Array((body ?? []).prefix(bodyPrefix))
  }
}
