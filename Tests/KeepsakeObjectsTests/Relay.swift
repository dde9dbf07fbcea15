import Foundation
import Keepsake
import KeepsakeFiles

@testable import KeepsakeObjects

/// A server that passes requests on to another one, signed anew, and does with some of them what a test says.
final class Relay: Sendable {
  /// A request as it came.
  struct Heard: Sendable {
    let method: String
    let path: String
    let query: [(name: String, value: String)]
    let headers: [String: String]
    let body: [UInt8]
  }

  /// What is done with a request.
  enum Plan: Sendable {
    /// It is passed on, and so is its answer.
    case pass
    /// It is passed on without one of its headers.
    case drop(String)
    /// It is answered here.
    case answer(ObjectAnswer)
    /// It is passed on, and its answer is changed.
    case alter(@Sendable (ObjectAnswer) -> ObjectAnswer)
  }

  private let listener: LoopbackListener
  var port: Int { listener.port }

  init(to server: S3Server, _ plan: @escaping @Sendable (Heard) -> Plan) throws {
    let transport = try CurlTransport()
    listener = try LoopbackListener { client in
      var bytes: [UInt8] = []
      while let heard = Self.hear(client, &bytes) {
        guard let answer = Self.answer(heard, plan(heard), server, transport),
          client.sendAll(Self.text(answer, heard.method))
        else { break }
      }
      client.end()
    }
  }

  private static func hear(_ client: StreamSocket, _ bytes: inout [UInt8]) -> Heard? {
    func more() -> Bool {
      while true {
        switch client.receive(into: &bytes, limit: 64 << 10) {
        case .moved: return true
        case .ended: return false
        case .wouldWait:
          guard
            Readiness.wait(
              for: client, reading: true, writing: false, until: .now.advanced(by: .seconds(60)))
          else { return false }
        }
      }
    }
    let end = Array("\r\n\r\n".utf8)
    var head: Range<Int>?
    while head == nil {
      head = bytes.firstRange(of: end)
      if head == nil, !more() { return nil }
    }
    guard let head else { return nil }
    let lines = String(decoding: bytes[..<head.lowerBound], as: UTF8.self)
      .split(separator: "\r\n").map(String.init)
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
      headers[parts[0].lowercased()] =
        parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
    }
    let size = headers["content-length"].flatMap { Int($0) } ?? 0
    while bytes.count < head.upperBound + size { if !more() { return nil } }
    let body = Array(bytes[head.upperBound..<(head.upperBound + size)])
    bytes.removeFirst(head.upperBound + size)
    let request = lines[0].split(separator: " ").map(String.init)
    let target = request[1].split(separator: "?", maxSplits: 1).map(String.init)
    let query = (target.count > 1 ? target[1] : "").split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (
        name: String(parts[0]).removingPercentEncoding ?? "",
        value: parts.count > 1 ? String(parts[1]).removingPercentEncoding ?? "" : ""
      )
    }
    return Heard(
      method: request[0], path: target[0], query: query, headers: headers, body: body)
  }

  private static func answer(
    _ heard: Heard, _ plan: Plan, _ server: S3Server, _ transport: CurlTransport
  ) -> ObjectAnswer? {
    var headers = heard.headers
    var alteration: (@Sendable (ObjectAnswer) -> ObjectAnswer)?
    switch plan {
    case .pass: break
    case .drop(let name): headers[name] = nil
    case .answer(let answer): return answer
    case .alter(let body): alteration = body
    }
    for name in [
      "authorization", "x-amz-date", "x-amz-content-sha256", "content-length", "connection",
    ] {
      headers[name] = nil
    }
    headers["host"] = "127.0.0.1:\(server.port)"
    let signed = ObjectSigner(credentials: server.credentials, region: "us-east-1").signed(
      heard.method, heard.path, query: heard.query, headers: headers,
      payload: SHA256.digest(of: heard.body), at: WallClock.seconds)
    let query = ObjectSigner.text(heard.query)
    let call = ObjectCall(
      method: heard.method,
      url: "http://127.0.0.1:\(server.port)\(heard.path)\(query.isEmpty ? "" : "?\(query)")",
      headers: signed.filter { $0.key != "host" }, body: heard.body, largestAnswer: 1 << 27,
      timeout: .seconds(30))
    let result = Monitor<ObjectAnswer??>(nil)
    Task {
      let answer = try? await transport.send(call)
      result.withLock { $0 = .some(answer) }
      result.broadcast()
    }
    guard let answer = result.wait(for: { $0 }) ?? nil else { return nil }
    return alteration?(answer) ?? answer
  }

  private static func text(_ answer: ObjectAnswer, _ method: String) -> [UInt8] {
    var headers = answer.headers
    for name in ["transfer-encoding", "connection", "content-length"] { headers[name] = nil }
    let size =
      method == "HEAD" ? answer.headers["content-length"] ?? "0" : "\(answer.body.count)"
    let lines = headers.map { "\($0.key): \($0.value)\r\n" }.sorted().joined()
    let head = "HTTP/1.1 \(answer.status) Answer\r\n\(lines)Content-Length: \(size)\r\n\r\n"
    return Array(head.utf8) + answer.body
  }
}
