import Keepsake
import Testing

@testable import KeepsakeMCP

/// Several messages in one array, which exactly one revision has.
@Suite struct BatchTests {
  private static let ping = #"{"jsonrpc":"2.0","id":"p","method":"ping"}"#
  private static let notice = #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#
  private static let search =
    #"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{"query":"banana"}}}"#

  @Test func `in 2025-03-26 an array is answered by an array`() async throws {
    let talker = try Talker(try await TalkStore())
    try await talker.initialize("2025-03-26")
    let answer = try #require(
      try await talker.send("[\(Self.ping),\(Self.notice),\(Self.search),7]"))
    let answers = try #require(answer.arrayValue)
    #expect(answers.map { $0["id"] } == ["p", 2, nil])
    #expect(answers[1]["result"]?["content"]?[0]?["type"] == "text")
    #expect(answers[2].errorCode == -32600)
    #expect(try await talker.send("[\(Self.notice),\(Self.notice)]") == nil)
    let empty = try #require(try await talker.send("[]"))
    #expect(empty.errorCode == -32600)
    #expect(empty.arrayValue == nil)
  }

  @Test(arguments: ["2024-11-05", "2025-06-18", "2025-11-25"])
  func `in other revisions an array is no request`(version: String) async throws {
    let talker = try Talker(try await TalkStore())
    try await talker.initialize(version)
    #expect(try await talker.send("[\(Self.ping)]")?.errorCode == -32600)
  }

  @Test func `a handshake comes alone, and arrays hold no arrays`() async throws {
    let talker = try Talker(try await TalkStore())
    try await talker.initialize("2025-03-26")
    let answer = try #require(
      try await talker.send(
        #"[{"jsonrpc":"2.0","id":9,"method":"initialize","params":{}},[\#(Self.ping)]]"#))
    #expect(answer.arrayValue?.map(\.errorCode) == [-32600, -32600])
  }
}
