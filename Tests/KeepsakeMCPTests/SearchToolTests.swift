import Foundation
import Keepsake
import Testing

@testable import KeepsakeMCP

/// The tools `search`, `list_sessions` and `audit_artifact`.
@Suite struct SearchToolTests {
  @Test func `a hit says where it stands, and by which tool`() async throws {
    let store = try await TalkStore()
    let found = try await Talker(store).data("search", ["query": "banana", "limit": 50])
    let hits = try #require(found["hits"]?.arrayValue)
    #expect(hits.map { $0["position"]?.intValue } == [5, 4, 3, 2, 1])
    #expect(
      hits.map { $0["tool"]?.stringValue } == [nil, nil, "GenerateImage", "GenerateImage", nil])
    #expect(hits.allSatisfy { $0["session"]?.stringValue == store.session.uuidString.lowercased() })
    #expect(hits[4]["snippet"] == "a ripe banana, please")
    #expect(hits[4]["kind"] == "prompt")
    #expect(found["next"] == nil && found["note"] == nil)
  }

  @Test(arguments: [#"{"query":"banana"}"#, #"{"query":"","session":"SESSION"}"#])
  func `pages part the hits without repeating or losing any`(arguments: String) async throws {
    let store = try await TalkStore()
    let talker = try Talker(store)
    let text = arguments.replacing("SESSION", with: store.session.uuidString)
    func positions(_ limit: Int) async throws -> [Int64] {
      var found: [Int64] = []
      var cursor: String?
      repeat {
        var given = try #require(JSON(validating: text).members)
        given.append(("limit", .number(Int64(limit))))
        if let cursor { given.append(("cursor", .string(cursor))) }
        let page = try await talker.data("search", .object(given.map { ($0.key, $0.value) }))
        found += page["hits"]?.arrayValue?.compactMap { $0["position"]?.intValue } ?? []
        cursor = page["next"]?.stringValue
        #expect(cursor != "")
      } while cursor != nil
      return found
    }
    let whole = try await positions(50)
    #expect(whole.count >= 5)
    for limit in 1...3 { #expect(try await positions(limit) == whole) }
  }

  @Test func `a cursor of other conditions is refused`() async throws {
    let talker = try Talker(try await TalkStore())
    let page = try await talker.data("search", ["query": "banana", "limit": 1])
    let cursor = try #require(page["next"])
    #expect(
      try await talker.refusal("search", ["query": "ripe", "cursor": cursor]).contains("cursor"))
    let list = try await talker.refusal("list_sessions", ["cursor": cursor])
    #expect(list.contains("cursor"))
  }

  @Test func `without words it lists what a tool did, and needs a condition`() async throws {
    let talker = try Talker(try await TalkStore())
    let found = try await talker.data("search", ["query": "", "tool": "GenerateImage"])
    #expect(found["hits"]?.arrayValue?.map { $0["position"]?.intValue } == [3, 2])
    let since = try await talker.data("search", ["query": " ", "since": "2000-01-01"])
    #expect(since["hits"]?.arrayValue?.count == 6)
    let none = try await talker.data("search", ["query": "", "since": "2999-01-01"])
    #expect(none["hits"] == [])
  }

  @Test func `artifacts are found by what was said of them`() async throws {
    let store = try await TalkStore()
    try await store.change { store in
      let session = try await store.createSession(title: "Cups")
      for number in 0..<5 {
        try await session.append(
          .prompt("cup \(number)"),
          attaching: [
            .init(.bytes(Array("cup \(number)".utf8)), fileName: "cup-\(number).txt"),
            .init(.bytes(Array("saucer \(number)".utf8)), fileName: "saucer-\(number).txt"),
          ])
      }
    }
    let talker = try Talker(store)
    let banana = try await talker.data("search", ["query": "ripe", "target": "artifacts"])
    #expect(
      banana["hits"]?.arrayValue?.map { $0["artifact"]?.stringValue } == [store.image.description])
    #expect(banana["hits"]?[0]?["type"] == "image/png")
    #expect(banana["hits"]?[0]?["tool"] == "GenerateImage")
    for limit in [1, 2, 3, 50] {
      var found: [String] = []
      var cursor: JSON?
      repeat {
        var arguments: [(String, JSON)] = [
          ("query", "cup"), ("target", "artifacts"), ("limit", .number(Int64(limit))),
        ]
        if let cursor { arguments.append(("cursor", cursor)) }
        let page = try await talker.data("search", .object(arguments))
        let hits = page["hits"]?.arrayValue ?? []
        #expect(hits.count <= max(limit, 2))
        found += hits.compactMap { $0["artifact"]?.stringValue }
        cursor = page["next"]
      } while cursor != nil
      // A page of one shows the first of two, and says so.
      #expect(Set(found).count == found.count)
      #expect(found.count == (limit == 1 ? 5 : 10), "limit \(limit)")
    }
  }

  @Test func `sessions are listed newest first, by where they came from`() async throws {
    let store = try await TalkStore()
    try await store.change { store in
      for number in 0..<3 {
        _ = try await store.createSession(title: "S\(number)\n\u{1B}[2J", origin: "other")
      }
    }
    let talker = try Talker(store)
    var titles: [String] = []
    var cursor: JSON?
    repeat {
      var arguments: [(String, JSON)] = [("origin", "other"), ("limit", 2)]
      if let cursor { arguments.append(("cursor", cursor)) }
      let page = try await talker.data("list_sessions", .object(arguments))
      titles += page["sessions"]?.arrayValue?.compactMap { $0["title"]?.stringValue } ?? []
      cursor = page["next"]
    } while cursor != nil
    #expect(titles == [#"S2 \u{1b}[2J"#, #"S1 \u{1b}[2J"#, #"S0 \u{1b}[2J"#])
    let fruit = try await talker.data("list_sessions", ["origin": "test"])
    let session = try #require(fruit["sessions"]?[0])
    #expect(session["model"] == "painter-1")
    #expect(session["entries"] == 6)
    #expect(session["artifacts"] == 1)
  }

  @Test func `an audit names the call, its arguments and the prompt, and checks when asked`()
    async throws
  {
    let store = try await TalkStore()
    let talker = try Talker(store)
    let audit = try await talker.data(
      "audit_artifact", ["artifact": .string(store.image.description)])
    let made = try #require(audit["made"]?[0])
    #expect(made["tool"] == "GenerateImage")
    #expect(made["arguments"]?.stringValue == #"{"content": "banana"}"#)
    #expect(made["prompt"] == "a ripe banana, please")
    #expect(made["basis"] == "explicit")
    #expect(
      audit["bytes"] == "unchecked" && audit["chain"] == "unchecked" && audit["more"] == false)
    let checked = try await talker.data(
      "audit_artifact",
      [
        "artifact": .string(String(store.image.description.dropFirst(7).prefix(8))),
        "check": "true",
      ])
    #expect(checked["bytes"] == "ok" && checked["chain"] == "ok")
  }

  @Test func `what another process appends is in the next answer`() async throws {
    let store = try await TalkStore()
    let talker = try Talker(store)
    #expect(try await talker.data("search", ["query": "papaya"])["hits"] == [])
    for word in ["papaya", "quince"] {
      let script =
        "'\(Program.path)' append '\(store.session.uuidString)' --store '\(store.path)' --kind prompt 'a \(word)'"
      try Program.run(script)
      let found = try await talker.data("search", ["query": .string(word)])
      #expect(found["hits"]?.arrayValue?.count == 1, "\(word)")
    }
  }
}
