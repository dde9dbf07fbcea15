import Foundation
import Keepsake
import Testing

@testable import KeepsakeMCP

/// What each revision has in its messages, and what it has not.
@Suite struct ShapeTests {
  @Test func `each revision with handshakes has its own members and no later ones`() async throws {
    let store = try await TalkStore()
    for revision in Revision.allCases where !revision.isModern {
      let talker = try Talker(store)
      try await talker.initialize(revision.rawValue)
      let isLate = revision >= .june2025
      let tools = try #require(
        try await talker.ask("tools/list", era: .legacy)["result"]?["tools"]?.arrayValue)
      #expect(
        tools.map { $0["name"]?.stringValue } == [
          "search", "list_sessions", "read_session", "get_artifact", "audit_artifact",
        ])
      #expect((tools[0]["outputSchema"] != nil) == isLate)
      #expect((tools[0]["title"] != nil) == isLate)
      #expect((tools[0]["annotations"] != nil) == (revision >= .march2025))
      #expect(tools[2]["outputSchema"] == nil)
      let found = try await talker.call("search", ["query": "banana"], era: .legacy)
      #expect((found["structuredContent"] != nil) == isLate)
      let link = try await talker.call(
        "get_artifact", ["artifact": .string(store.image.description), "form": "link"],
        era: .legacy)
      #expect(link["content"]?[1]?["type"] == (isLate ? "resource_link" : "text"))
      let resources = try await talker.ask("resources/list", era: .legacy)
      #expect((resources["result"]?["resources"]?[0]?["annotations"] != nil) == isLate)
      for answer in [found, link, try #require(resources["result"])] {
        for late in ["resultType", "ttlMs", "cacheScope", "_meta"] {
          #expect(answer[late] == nil, "\(revision) \(late)")
        }
      }
    }
  }

  @Test func `the newest revision says of each result that it is whole, and how long it holds`()
    async throws
  {
    let store = try await TalkStore()
    let talker = try Talker(store)
    let session = "keepsake://session/\(store.session.uuidString.lowercased())"
    let artifact = "keepsake://artifact/\(store.image.description.dropFirst(7))"
    let cached: [(String, String, JSON)] = [
      ("tools/list", "", 300_000), ("resources/list", "", 0),
      ("resources/templates/list", "", 300_000), ("resources/read", #""uri":"\#(session)""#, 0),
      ("resources/read", #""uri":"\#(artifact)""#, 300_000),
    ]
    for (method, parameters, lifetime) in cached {
      let result = try #require(
        try await talker.ask(method, parameters, era: .modern)["result"], "\(method)")
      #expect(result["resultType"] == "complete")
      #expect(result["ttlMs"] == lifetime, "\(method)")
      #expect(result["cacheScope"] == "private")
      #expect(result["_meta"]?["io.modelcontextprotocol/serverInfo"]?["version"] == "1.2.3")
    }
    let called = try await talker.call("search", ["query": "banana"])
    #expect(called["resultType"] == "complete")
    #expect(called["ttlMs"] == nil)
    #expect(called["cacheScope"] == nil)
  }

  @Test(arguments: [false, true])
  func `tools are small, flat and honest about what they do`(writes: Bool) async throws {
    let talker = try Talker(try await TalkStore(), allowsWrites: writes)
    let list = try #require(try await talker.ask("tools/list", era: .modern)["result"]?["tools"])
    let tools = try #require(list.arrayValue)
    #expect(tools.count == (writes ? 7 : 5))
    for tool in tools {
      let name = try #require(tool["name"]?.stringValue)
      #expect(name.utf8.count <= 20 && name.allSatisfy { $0.isLowercase || $0 == "_" })
      #expect((tool["description"]?.stringValue ?? "").utf8.count <= 1000, "\(name)")
      let input = try #require(tool["inputSchema"])
      #expect(input["type"] == "object")
      #expect(input["additionalProperties"] == false)
      #expect(input["required"]?.arrayValue != nil)
      for (parameter, schema) in try #require(input["properties"]?.members) {
        let kind = try #require(schema["type"]?.stringValue)
        #expect(["string", "integer", "boolean"].contains(kind))
        #expect(!["in", "from", "as", "class", "def"].contains(parameter))
        #expect(schema["description"]?.stringValue?.isEmpty == false)
      }
      for word in ["oneOf", "anyOf", "allOf", "$ref", "$defs", "$schema"] {
        #expect(!tool.text.contains("\"\(word)\""))
      }
      if let output = tool["outputSchema"] { #expect(output["type"] == "object") }
      let hints = try #require(tool["annotations"])
      let isWriting = ["append_entry", "attach_artifact"].contains(name)
      #expect(hints["readOnlyHint"] == .bool(!isWriting))
      #expect(hints["openWorldHint"] == false)
      #expect(hints["destructiveHint"] == (isWriting ? false : nil))
      #expect(hints["idempotentHint"] == (isWriting ? .bool(name == "append_entry") : nil))
    }
    // The same list, to the byte, each time: clients keep what models read by its beginning.
    #expect(
      try await talker.ask("tools/list", era: .modern)["result"]?["tools"]?.text == list.text)
  }
}
