import Keepsake
import Testing

@testable import KeepsakeMCP

/// How a client begins: with a handshake, by discovering, or with both on one pipe.
@Suite struct OpeningTests {
  @Test(
    arguments: [
      ("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"), ("2025-06-18", "2025-06-18"),
      ("2025-11-25", "2025-11-25"), ("9999-01-01", "2025-11-25"), ("2026-07-28", "2025-11-25"),
      ("", "2025-11-25"),
    ]) func `a handshake agrees on the client's revision, or on the newest with handshakes`(
      wanted: String, given: String
    ) async throws
  {
    let talker = try Talker(try await TalkStore())
    let answer = try #require(try await talker.initialize(wanted))
    #expect(answer["id"] == 0)
    let result = try #require(answer["result"])
    #expect(result["protocolVersion"]?.stringValue == given)
    #expect(result["capabilities"] == ["tools": [:], "resources": [:]])
    #expect(
      result["serverInfo"] == ["name": "keepsake", "title": "Keepsake", "version": "1.2.3"])
    #expect((result["instructions"]?.stringValue ?? "").utf8.count <= 500)
    #expect(result["resultType"] == nil)
  }

  @Test func `a second handshake counts, and nothing waits for the notice after it`() async throws {
    let talker = try Talker(try await TalkStore())
    try await talker.initialize("2024-11-05")
    try await talker.initialize("2025-11-25")
    let tools = try await talker.ask("tools/list", era: .legacy)
    #expect(tools["result"]?["tools"]?[0]?["title"] != nil)
    #expect(
      try await talker.send(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#) == nil)
  }

  @Test func `a client discovers without a handshake`() async throws {
    let talker = try Talker(try await TalkStore())
    let result = try #require(try await talker.ask("server/discover", era: .modern)["result"])
    #expect(
      result["supportedVersions"] == [
        "2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05",
      ])
    #expect(result["resultType"] == "complete")
    #expect(result["ttlMs"] == 300_000)
    #expect(result["cacheScope"] == "private")
    #expect(result["_meta"]?["io.modelcontextprotocol/serverInfo"]?["name"] == "keepsake")
    let unnamed =
      #"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#
    #expect(try await talker.send(unnamed)?["result"] != nil)
  }

  @Test(
    arguments: [
      (#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#, -32602),
      (
        #""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":[]"#,
        -32602
      ),
      (
        #""io.modelcontextprotocol/protocolVersion":7,"io.modelcontextprotocol/clientCapabilities":{}"#,
        -32602
      ),
      (
        #""io.modelcontextprotocol/protocolVersion":"9999-01-01","io.modelcontextprotocol/clientCapabilities":{}"#,
        -32022
      ),
      (
        #""io.modelcontextprotocol/protocolVersion":"2025-11-25","io.modelcontextprotocol/clientCapabilities":{}"#,
        -32022
      ),
    ]) func `a request without its version or capabilities is refused`(
      meta: String, code: Int64
    ) async throws
  {
    let talker = try Talker(try await TalkStore())
    let answer = try #require(
      try await talker.send(
        #"{"jsonrpc":"2.0","id":"a","method":"server/discover","params":{"_meta":{\#(meta)}}}"#))
    #expect(answer.errorCode == code)
    #expect(answer["id"] == "a")
    if code == -32022 {
      let supported = answer["error"]?["data"]?["supported"]?.arrayValue ?? []
      // A client that asked for a date with handshakes must not be told to ask for it again.
      #expect(supported.count == (meta.contains("9999") ? 5 : 1))
      #expect(supported.first == "2026-07-28")
    }
  }

  @Test func `both manners mix on one pipe, and each message is taken by itself`() async throws {
    let talker = try Talker(try await TalkStore())
    let early = try await talker.ask("tools/list", era: .legacy)
    #expect(early.errorCode == -32602)
    #expect(early["error"]?["data"]?["supported"]?.arrayValue?.count == 5)
    #expect(early["error"]?["message"]?.stringValue?.contains("initialize") == true)
    #expect(try await talker.ask("ping", era: .legacy)["result"] == [:])
    #expect(try await talker.ask("server/discover", era: .modern)["result"] != nil)
    try await talker.initialize()
    #expect(try await talker.ask("tools/list", era: .legacy)["result"]?["ttlMs"] == nil)
    #expect(try await talker.ask("tools/list", era: .modern)["result"]?["ttlMs"] == 300_000)
    #expect(try await talker.ask("tools/list", era: .legacy)["result"]?["resultType"] == nil)
    #expect(try await talker.ask("initialize", era: .modern).errorCode == -32601)
  }

  @Test(
    arguments: [
      "initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe",
      "x/y", "prompts/list", "completion/complete", "subscriptions/listen", "tasks/list",
    ]) func `methods that are gone or were never there are unknown`(method: String) async throws
  {
    let talker = try Talker(try await TalkStore())
    #expect(try await talker.ask(method, era: .modern).errorCode == -32601)
    guard !["initialize", "ping"].contains(method) else { return }
    try await talker.initialize()
    #expect(try await talker.ask(method, era: .legacy).errorCode == -32601)
  }

  @Test(arguments: ["0", "-1", "9007199254740992", "\"\"", "\"1\"", "1", "\"a\\u0062\""])
  func `an id comes back as it was spelled`(id: String) async throws {
    let talker = try Talker(try await TalkStore())
    let answer = await talker.raw(
      Array(#"{"jsonrpc":"2.0","id":\#(id),"method":"ping"}"#.utf8))
    #expect(
      String(decoding: answer ?? [], as: UTF8.self)
        == #"{"jsonrpc":"2.0","id":\#(id),"result":{}}"#)
  }

  @Test(
    arguments: [
      #"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
      #"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
      #"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, #"{"jsonrpc":"2.0","id":1e3,"method":"ping"}"#,
      #"{"id":1,"method":"ping"}"#, #"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
      #"{"jsonrpc":"2.0","id":1,"method":7}"#, #"{"jsonrpc":"2.0","id":1}"#, "7", "\"x\"", "null",
      #"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, "[]",
    ]) func `what is no request is answered without an id`(message: String) async throws
  {
    let talker = try Talker(try await TalkStore())
    let answer = try #require(try await talker.send(message))
    #expect(answer.errorCode == -32600)
    #expect(!answer.names.contains("id"))
  }

  @Test func `answers and notices of a client have no answer`() async throws {
    let talker = try Talker(try await TalkStore())
    for message in [
      #"{"jsonrpc":"2.0","id":1,"result":{}}"#,
      #"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}"#,
      #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}"#,
      #"{"jsonrpc":"2.0","method":"notifications/x"}"#, #"{"jsonrpc":"2.0","method":"tools/list"}"#,
    ] {
      #expect(try await talker.send(message) == nil, "\(message)")
    }
  }
}
