import Foundation
import Keepsake
import Testing

@testable import KeepsakeMCP

/// What a model is told of calls that can't be carried out.
@Suite struct ToolErrorTests {
  @Test func `a tool that is not there is an error of the protocol`() async throws {
    let talker = try Talker(try await TalkStore())
    try await talker.initialize()
    for era in Talker.Era.allCases {
      for name in ["serch", "append_entry", "\u{1B}[2J"] {
        let answer = try await talker.ask(
          "tools/call", #""name":\#(JSON.string(name).text),"arguments":{}"#, era: era)
        #expect(answer.errorCode == -32602)
        #expect(answer["error"]?["message"]?.stringValue?.contains("\u{1B}") == false)
      }
      #expect(try await talker.ask("tools/call", era: era).errorCode == -32602)
    }
  }

  @Test(
    arguments: [
      ("search", #"{}"#, "'query' is missing"),
      ("search", #"{"query":"x","limt":5}"#, "limit"),
      ("search", #"{"query":"x","limit":0}"#, "1 to 50"),
      ("search", #"{"query":"x","limit":51}"#, "1 to 50"),
      ("search", #"{"query":"x","limit":"a"}"#, "1 to 50"),
      ("search", #"{"query":"x","limit":2.5}"#, "1 to 50"),
      ("search", #"{"query":["x"]}"#, "string"),
      ("search", #"{"query":""}"#, "tool, a session"), ("search", #"{"query":"-x"}"#, "leave out"),
      ("search", #"{"query":"x","target":"all"}"#, "entries, artifacts"),
      ("search", #"{"query":"x","since":"yesterday"}"#, "2026-11-02"),
      ("search", #"{"query":"x","cursor":"abc"}"#, "cursor"), ("search", #"[]"#, "no object"),
      ("search", #"{"query":"x","session":"ffffff"}"#, "list_sessions"),
      ("search", #"{"query":"x","session":"fff"}"#, "at least 6 digits"),
      ("list_sessions", #"{"cursor":"AAAA"}"#, "cursor"), ("read_session", #"{}"#, "'session'"),
      ("read_session", #"{"session":"zzzzzz"}"#, "list_sessions"),
      ("read_session", #"{"session":"SESSION","start":6}"#, "6 entries"),
      ("read_session", #"{"session":"SESSION","offset":3}"#, "'start'"),
      ("read_session", #"{"session":"SESSION","start":1,"offset":9999}"#, "offset"),
      ("read_session", #"{"session":"SESSION","max_bytes":1023}"#, "1024"),
      ("read_session", #"{"session":"SESSION","max_bytes":65537}"#, "65536"),
      ("read_session", #"{"session":"SESSION","reasoning":"maybe"}"#, "true or false"),
      ("get_artifact", #"{"artifact":"image_1"}"#, "label"),
      ("get_artifact", #"{"artifact":"image_9","session":"SESSION"}"#, "read_session"),
      ("get_artifact", #"{"artifact":"abc1234"}"#, "8 digits"),
      ("get_artifact", #"{"artifact":"ffffffffff"}"#, "ffffffffff"),
      ("audit_artifact", #"{"artifact":"image_1"}"#, "digest"),
    ]) func `wrong arguments get a sentence that says what to do`(
      tool: String, arguments: String, hint: String
    ) async throws
  {
    let store = try await TalkStore()
    let talker = try Talker(store)
    let text = arguments.replacing("SESSION", with: store.session.uuidString.lowercased())
    let sentence = try await talker.refusal(tool, JSON(validating: text))
    #expect(sentence.contains(hint), "\(sentence)")
    #expect(!sentence.contains("\n"))
  }

  @Test func `numbers and truths may come as strings, and null as nothing`() async throws {
    let store = try await TalkStore()
    let talker = try Talker(store)
    let found = try await talker.data("search", ["query": "banana", "limit": "1", "tool": .null])
    #expect(found["hits"]?.arrayValue?.count == 1)
    let text = try await talker.text(
      "read_session",
      ["session": .string(store.session.uuidString), "reasoning": "true", "start": "4"])
    #expect(text.contains("It asks for a banana."))
  }

  @Test func `a name that fits several sessions lists them`() async throws {
    let store = try await TalkStore()
    let ids = ["abcdef00-0000-4000-8000-000000000001", "abcdef00-0000-4000-8000-000000000002"]
    try await store.change { store in
      for id in ids.compactMap(UUID.init(uuidString:)) {
        _ = try await store.createSession(title: "Twin", id: id)
      }
    }
    let sentence = try await Talker(store).refusal("read_session", ["session": "abcdef"])
    #expect(ids.allSatisfy { sentence.contains($0) }, "\(sentence)")
  }

  @Test func `a damaged artifact is told of, and not shown`() async throws {
    let store = try await TalkStore()
    let big = [UInt8]("hello ".utf8) + [UInt8](repeating: 0x61, count: 300_000)
    let id = try await store.keep(big)
    let hex = id.description.dropFirst(7)
    let file = URL(filePath: store.path)
      .appending(path: "artifacts/\(hex.prefix(2))/\(hex.dropFirst(2))")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    try Data([UInt8](repeating: 0x62, count: big.count)).write(to: file)
    let talker = try Talker(store)
    let sentence = try await talker.refusal("get_artifact", ["artifact": .string(id.description)])
    #expect(sentence.contains("altered"))
    let audited = try await talker.data(
      "audit_artifact", ["artifact": .string(id.description), "check": true])
    #expect(audited["bytes"] == "damaged")
    #expect(audited["chain"] == "ok")
    try FileManager.default.removeItem(at: file)
    let gone = try await talker.data(
      "audit_artifact", ["artifact": .string(id.description), "check": true])
    #expect(gone["bytes"] == "missing")
  }
}
