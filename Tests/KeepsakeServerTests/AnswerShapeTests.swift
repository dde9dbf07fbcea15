import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHTTP
import Testing

@testable import KeepsakeServer

@Suite("Answers have the shape that is declared")
struct AnswerShapeTests {
  private static let endpoints = Routes.all.map(\.endpoint).filter(\.isForPrograms)

  private static func endpoint(_ method: HTTPMethod, _ path: String) throws -> Endpoint {
    try #require(endpoints.first { $0.method == method && $0.path.description == path })
  }

  /// The fault of an answer, held against the declaration of its endpoint.
  private static func fault(_ answer: Answer, of endpoint: Endpoint) -> String? {
    guard (200..<300).contains(answer.status) else { return "\(answer.status) \(answer.text)" }
    guard case .json(let shape) = endpoint.answer else { return "it is no JSON" }
    guard answer.fields["Content-Type"] == "application/json" else { return "its type is another" }
    guard let json = try? answer.json else { return "it is no JSON: \(answer.text.prefix(200))" }
    return shape.fault(json)
  }

  @Test func `each question of a full store, and of an empty one`() async throws {
    try await Served.run { served in
      for path in ["sessions", "artifacts", "search?q=a", "tags", "stats", "usage", "openapi.json"]
      {
        let answer = try await served.send("GET", "/api/1/\(path)")
        let name = path.prefix { $0 != "?" }
        #expect(Self.fault(answer, of: try Self.endpoint(.get, "/api/1/\(name)")) == nil, "\(path)")
      }
      let fruit = try await Fruit(in: served.store)
      let values = [
        "session": fruit.session.uuidString.lowercased(), "digest": fruit.image.digest.hex,
        "position": "0", "tool": "GenerateImage",
      ]
      for endpoint in Self.endpoints where endpoint.method == .get {
        guard case .json = endpoint.answer else { continue }
        let path =
          "/"
          + endpoint.path.parts.map { part in
            switch part {
            case .fixed(let text): text
            case .named(let name): values[name] ?? "?"
            }
          }.joined(separator: "/")
        let query = endpoint.path.description == "/api/1/search" ? "?q=banana" : ""
        let answer = try await served.send("GET", path + query)
        #expect(Self.fault(answer, of: endpoint) == nil, "\(path)")
        // HEAD says the same without the body.
        let head = try await served.send("HEAD", path + query)
        #expect(head.status == 200)
        #expect(head.body.isEmpty)
        #expect(head.fields["Content-Type"] == "application/json")
        #expect(head.fields["Content-Length"] == answer.fields["Content-Length"])
      }
    }
  }

  @Test func `lists of a full store are not empty, so that their elements were looked at`()
    async throws
  {
    try await Served.run { served in
      let fruit = try await Fruit(in: served.store)
      let hex = fruit.image.digest.hex
      for (path, name) in [
        ("/api/1/sessions", "sessions"), ("/api/1/artifacts", "artifacts"), ("/api/1/tags", "tags"),
        ("/api/1/search?q=banana", "hits"), ("/api/1/search?q=banana&order=ranked", "hits"),
        (fruit.path + "/entries", "entries"), (fruit.path + "/forks", "sessions"),
        (fruit.path + "/attachments", "attachments"), (fruit.path + "/invocations", "invocations"),
        (fruit.path + "/entries/0/revisions", "revisions"), (fruit.path + "/audit", "attachments"),
        (fruit.path + "/audit", "unendedInvocations"),
        ("/api/1/artifacts/\(hex)/audit", "attachments"),
        ("/api/1/tools/GenerateImage/artifacts", "artifacts"), ("/api/1/usage", "usage"),
      ] {
        let answer = try await served.send("GET", path)
        #expect(try answer.json[name]?.arrayValue?.isEmpty == false, "\(path)")
      }
      for by in ["day", "model", "session", "tool", "origin"] {
        let answer = try await served.send("GET", "/api/1/usage?by=\(by)")
        #expect(Self.fault(answer, of: try Self.endpoint(.get, "/api/1/usage")) == nil, "\(by)")
      }
    }
  }

  @Test func `each change`() async throws {
    try await Served.run { served in
      func check(_ answer: Answer, _ method: HTTPMethod, _ path: String) throws {
        let endpoint = try Self.endpoint(method, path)
        #expect(Self.fault(answer, of: endpoint) == nil, "\(method) \(path): \(answer.status)")
      }
      let id = UUID().uuidString.lowercased()
      let made = try await served.send(
        "POST", "/api/1/sessions",
        json:
          #"{"id": "\#(id)", "title": "A", "origin": "test", "tags": ["x"], "metadata": {"a": 1}}"#)
      try check(made, .post, "/api/1/sessions")
      #expect(made.status == 201)
      #expect(made.fields["Location"] == "/api/1/sessions/\(id)")
      let session = "/api/1/sessions/\(id)"
      let template = "/api/1/sessions/{session}"
      for change in [
        #"{"title": "B"}"#, #"{"tags": ["y", "z"]}"#, #"{"title": null}"#,
        #"{"metadata": {"b": [2]}}"#,
        #"{}"#, #"{"metadata": null, "tags": [], "title": "C"}"#,
      ] {
        try check(try await served.send("PATCH", session, json: change), .patch, template)
      }
      let digest = try await served.put(Fruit.png)
      for entry in [
        #"{"kind": "prompt", "text": "hello"}"#,
        #"{"kind": "prompt", "text": "", "attachments": [{"artifact": "sha256:\#(digest)"}]}"#,
        #"{"kind": "toolCalls", "toolCalls": [{"id": "c", "tool": "T", "arguments": {"a": 1}}]}"#,
        #"{"kind": "toolOutput", "callID": "c", "tool": "T", "text": "done"}"#,
      ] {
        let answer = try await served.send("POST", session + "/entries", json: entry)
        try check(answer, .post, template + "/entries")
        #expect(answer.status == 201)
      }
      let attached = try await served.send(
        "POST", session + "/attachments",
        json:
          #"{"artifact": "sha256:\#(digest)", "position": 3, "callID": "c", "tool": "T", "fileName": "a.png"}"#
      )
      try check(attached, .post, template + "/attachments")
      let fork = try await served.send(
        "POST", session + "/fork", json: #"{"before": 2, "title": "F"}"#)
      try check(fork, .post, template + "/fork")
      #expect(try fork.json["forkPosition"]?.intValue == 2)
      let gone = try await served.send("DELETE", session)
      #expect(gone.status == 204)
      #expect(gone.body.isEmpty)
      #expect(try await served.send("DELETE", session).problem == "not-found")
    }
  }

  @Test func `what is said of an entry is what was given`() async throws {
    try await Served.run { served in
      let fruit = try await Fruit(in: served.store)
      let entry = try await served.json(fruit.path + "/entries/1")
      #expect(entry["text"]?.stringValue == Fruit.prompt)
      #expect(entry["attachments"]?[0]?["label"]?.stringValue == "song")
      let revisions = try await served.json(fruit.path + "/entries/0/revisions")
      #expect(revisions["revisions"]?[0]?["entry"]?["text"]?.stringValue == "You draw fruit.")
      let metadata = try await served.json(fruit.path + "/metadata")
      #expect(metadata["metadata"]?["app"]?["theme"]?.intValue == 1)
      let tags = try await served.json("/api/1/tags")
      #expect(tags["tags"]?[0]?["tag"]?.stringValue == "yellow")
      // The fork has the tag as well.
      #expect(tags["tags"]?[0]?["sessions"]?.intValue == 2)
      let forks = try await served.json(fruit.path + "/forks")
      #expect(forks["sessions"]?[0]?["id"]?.stringValue == fruit.fork.uuidString.lowercased())
      let runs = try await served.json(fruit.path + "/invocations")
      #expect(runs["invocations"]?[0]?["output"]?.stringValue == "image_1")
      let running = try await served.json(fruit.path + "/invocations?running=true")
      #expect(running["invocations"]?.arrayValue?.count == 1)
      #expect(running["invocations"]?[0]?["name"]?.stringValue == "Resize")
    }
  }
}
