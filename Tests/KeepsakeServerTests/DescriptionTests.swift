import Foundation
import Keepsake
import KeepsakeHTTP
import Testing

@testable import KeepsakeServer

@Suite("The description of the API")
struct DescriptionTests {
  @Test func `has each endpoint once, and what it takes`() async throws {
    try await Served.run { served in
      let document = try await served.json("/api/1/openapi.json")
      #expect(document["openapi"]?.stringValue == "3.1.0")
      var described: [String] = []
      var names: Set<String> = []
      for (path, methods) in document["paths"]?.members ?? [] {
        for (method, operation) in methods.members ?? [] {
          described.append("\(method.uppercased()) \(path)")
          let name = try #require(operation["operationId"]?.stringValue)
          #expect(names.insert(name).inserted, "\(name) stands twice")
        }
      }
      let endpoints = Routes.all.map(\.endpoint).filter(\.isForPrograms)
      #expect(described.sorted() == endpoints.map { "\($0.method.rawValue) \($0.path)" }.sorted())
      for endpoint in endpoints {
        let operation = document["paths"]?[endpoint.path.description]?[
          endpoint.method.rawValue.lowercased()]
        let parameters = operation?["parameters"]?.arrayValue ?? []
        let named = parameters.compactMap { $0["name"]?.stringValue }
        for item in endpoint.query + endpoint.fields {
          #expect(named.contains(item.name.description), "\(endpoint.path) \(item.name)")
        }
        #expect(
          parameters.count { $0["in"]?.stringValue == "path" } == endpoint.path.parts.count
            - endpoint.path.weight)
      }
    }
  }

  @Test func `has each shape that it refers to`() async throws {
    try await Served.run { served in
      let answer = try await served.send("GET", "/api/1/openapi.json")
      let document = try answer.json
      let schemas = Set((document["components"]?["schemas"]?.members ?? []).map(\.key))
      let prefix = "#/components/schemas/"
      var rest = answer.text[...]
      var referred: Set<String> = []
      while let range = rest.range(of: prefix) {
        rest = rest[range.upperBound...]
        referred.insert(String(rest.prefix { $0 != "\"" }))
      }
      #expect(referred == schemas)
    }
  }

  @Test func `each address is told of in Documentation/API.md`() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Documentation/API.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    for endpoint in Routes.all.map(\.endpoint) where endpoint.isForPrograms {
      var path = endpoint.path.description.dropFirst("/api/1".count)[...]
      for (name, word) in [
        ("session", "ID"), ("position", "N"), ("digest", "DIGEST"), ("tool", "NAME"),
      ] {
        path = path.replacing("{\(name)}", with: word)
      }
      let told = endpoint.method == .get ? "`\(path)`" : "`\(endpoint.method.rawValue) \(path)`"
      #expect(text.contains(told), "\(told)")
    }
  }

  @Test func `of a server that only reads has nothing that changes the store`() async throws {
    let folder = try TemporaryFolder()
    let url = folder.url.appending(path: "Chats.keepsake")
    let store = try await Store(at: url)
    _ = try await Fruit(in: store)
    await store.close()
    let reading = try await Store(at: url, options: .readOnly)
    var options = StoreServer.Options()
    options.isReadOnly = true
    options.token = Served.token
    let server = try StoreServer(reading, options)
    let port = try #require(server.port)
    let client = try Client(port: port)
    try await client.send(
      Asked(path: "/api/1/openapi.json", host: "127.0.0.1:\(port)", fields: [Served.authorization])
        .bytes())
    let document = try await client.answer().json
    for (path, methods) in document["paths"]?.members ?? [] {
      #expect(methods.members?.map(\.key) == ["get"], "\(path)")
    }
    // Each change is refused, with a sentence that says why.
    let id = UUID().uuidString.lowercased()
    for endpoint in Routes.all.map(\.endpoint) where endpoint.isWriting && !endpoint.isQuestion {
      let path = endpoint.path.description.replacingOccurrences(of: "{session}", with: id)
        .replacingOccurrences(of: "{digest}", with: String(repeating: "0", count: 64))
      let client = try Client(port: port)
      try await client.send(
        Asked(
          method: endpoint.method.rawValue, path: path, host: "127.0.0.1:\(port)",
          fields: [Served.authorization, ("Content-Type", "application/json")],
          body: Array("{}".utf8)
        ).bytes())
      let answer = try await client.answer()
      #expect(answer.status == 403, "\(endpoint.method) \(path)")
      #expect(answer.problem == "refused")
      #expect(answer.text.contains("--read-only"))
    }
    let list = try Client(port: port)
    try await list.send(
      Asked(path: "/api/1/sessions", host: "127.0.0.1:\(port)", fields: [Served.authorization])
        .bytes())
    #expect(try await list.answer().json["sessions"]?.arrayValue?.count == 2)
    server.stop(within: .milliseconds(500))
    await reading.close()
  }
}
