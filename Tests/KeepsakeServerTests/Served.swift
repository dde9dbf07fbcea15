import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHTTP
import KeepsakeTestSupport

@testable import KeepsakeServer

/// A store with a server before it, in this process.
final class Served: Sendable {
  let folder: TemporaryFolder
  let store: Store
  let server: StoreServer
  let port: Int
  static let token = String(repeating: "0123456789abcdef", count: 3)

  private init(
    sharing hub: HubAddress?, _ configure: (inout StoreServer.Options) -> Void
  ) async throws {
    folder = try TemporaryFolder()
    let url = folder.url.appending(path: "Chats.keepsake")
    store =
      if let hub { try await Store(at: url, joining: hub, as: .shared) } else {
        try await Store(at: url)
      }
    var options = StoreServer.Options()
    options.token = Self.token
    configure(&options)
    server = try StoreServer(store, options)
    port = server.port ?? 0
  }

  /// Runs a test on a server of its own, and stops it. The server's store shares the sessions of a hub if one is given.
  static func run<Result>(
    sharing hub: HubAddress? = nil, _ configure: (inout StoreServer.Options) -> Void = { _ in },
    _ body: (Served) async throws -> Result
  ) async throws -> Result {
    try await Slots.shared.run {
      let served = try await Served(sharing: hub, configure)
      do {
        let result = try await body(served)
        await served.end()
        return result
      } catch {
        await served.end()
        throw error
      }
    }
  }

  private func end() async {
    server.stop(within: .milliseconds(500))
    await store.close()
  }

  var host: String { "127.0.0.1:\(port)" }

  static let authorization = ("Authorization", "Bearer \(token)")

  func client() throws -> Client { try Client(port: port) }

  /// Sends a request on a connection of its own, and gives the answer.
  func send(
    _ method: String = "GET", _ path: String, _ fields: [(String, String)] = [authorization],
    body: [UInt8]? = nil, host: String? = nil
  ) async throws -> Answer {
    let client = try client()
    let asked = Asked(
      method: method, path: path, host: host ?? self.host, fields: fields, body: body)
    try await client.send(asked.bytes())
    return try await client.answer(isHead: method == "HEAD")
  }

  /// Sends JSON with the token.
  func send(
    _ method: String, _ path: String, json: String, _ fields: [(String, String)] = []
  ) async throws -> Answer {
    try await send(
      method, path, [Self.authorization, ("Content-Type", "application/json")] + fields,
      body: Array(json.utf8))
  }

  /// The answer to a question as JSON.
  func json(_ path: String) async throws -> JSON {
    let answer = try await send("GET", path)
    guard answer.status == 200 else { throw Unexpected(path: path, answer: answer) }
    return try JSON(validating: answer.body)
  }

  /// Puts bytes as an artifact, and gives its digest.
  func put(_ bytes: [UInt8]) async throws -> String {
    let digest = SHA256.digest(of: bytes).hex
    let answer = try await send(
      "PUT", "/api/1/artifacts/\(digest)", [Self.authorization], body: bytes)
    guard answer.status == 201 else { throw Unexpected(path: "PUT", answer: answer) }
    return digest
  }

  /// A new session, made through the server.
  func newSession(_ title: String = "Fruit") async throws -> String {
    let answer = try await send("POST", "/api/1/sessions", json: #"{"title": "\#(title)"}"#)
    guard answer.status == 201, let id = try JSON(validating: answer.body)["id"]?.stringValue else {
      throw Unexpected(path: "POST", answer: answer)
    }
    return id
  }
}

/// An answer that a test can't go on with.
struct Unexpected: Error, CustomStringConvertible {
  let path: String
  let answer: Answer

  var description: String { "\(path): \(answer.status) \(answer.text.prefix(500))" }
}

extension Answer {
  var json: JSON { get throws { try JSON(validating: body) } }

  /// The code of the problem that the answer says; nil where it is none in the declared form.
  var problem: String? {
    guard fields["Content-Type"] == "application/problem+json",
      let json = try? JSON(validating: body),
      Shape.problem.fault(json) == nil, json["status"]?.intValue == Int64(status)
    else { return nil }
    return json["code"]?.stringValue
  }
}
