import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

/// SQL and full-text queries in whatever takes a text, each by its number.
@Suite("Injections")
struct InjectionTests {
  static let sql = [
    "' OR 1=1--", "x') OR ('1'='1", "'; DROP TABLE entry;--", "\" OR \"\"=\"", "1 UNION SELECT 1",
    "%' OR title LIKE '%", "x\0y", "$.a') OR json('1", "?1", ":id", "@p", "[x]", "`x`", "\\'",
  ]

  /// Everything that the store says, to see that nothing was changed.
  private func contents(_ fruit: FruitStore) async -> [String] {
    var contents: [String] = []
    for arguments in [
      ["ls", "--json"], ["show", fruit.session.uuidString, "--json"], ["stats", "--json"],
    ] {
      let run = await CommandRun(list: arguments, environment: ["KEEPSAKE_STORE": fruit.path])
      #expect(run.code == .done)
      contents.append(run.output)
    }
    return contents
  }

  @Test func `F1: no option or operand of a reading command is more than a value`() async throws {
    let fruit = try await FruitStore()
    let before = await contents(fruit)
    for text in Self.sql {
      let lists = [
        ["ls", "--tool", text], ["ls", "--model", text], ["ls", "--tag", text],
        ["ls", "--origin", text], ["ls", "--has", text], ["audit", "--tool", text],
        ["search", "banana", "--tool", text], ["search", "banana", "--model", text],
        ["search", "banana", "--tag", text],
      ]
      for arguments in lists {
        let run = await CommandRun(
          list: arguments + ["--json"], environment: ["KEEPSAKE_STORE": fruit.path])
        #expect(run.code == .done, "\(arguments): \(run.error)")
        #expect(try run.json().arrayValue?.isEmpty == true, "\(arguments): \(run.output)")
      }
      for arguments in [
        ["ls", "--since", text], ["ls", "--after", text], ["ls", "--limit", text],
        ["artifacts", "--after", text], ["artifacts", "--limit", text], ["log", "--after", text],
        ["audit", "--tool", "x", "--after", text], ["search", "x", "--after", text],
        ["show", text], ["show", "last", "--entry", text], ["get", text], ["get", "last/\(text)"],
        ["get", "\(text)/image_1"], ["audit", text], ["export", text], ["fork", text],
        ["rm", text], ["search", "x", "--session", text], ["append", text, "--kind", "event", "x"],
      ] {
        let run = await CommandRun(list: arguments, environment: ["KEEPSAKE_STORE": fruit.path])
        #expect(run.code == .failed || run.code == .usage, "\(arguments): \(run.output)")
      }
    }
    #expect(await contents(fruit) == before)
    #expect(await fruit.run("verify", "--full").code == .done)
  }

  @Test func `F1: what is written comes back to the letter`() async throws {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      for text in Self.sql {
        let session = try await store.createSession(title: text, origin: text, tags: [text])
        var entry = Entry.prompt(text)
        entry.key = text
        entry.lane = text
        entry.author = text
        entry.model = text
        entry.tags = [text]
        let stored = try await session.append(
          entry, attaching: [.init(.bytes([1]), fileName: text, label: text, caption: text)])
        #expect(stored.key == text)
        #expect(try await session.attachment(text).label.utf8.elementsEqual(text.utf8))
        #expect(try await session.append(entry, attaching: [.init(.bytes([1]))]).position == 0)
        let call = Entry.ToolCall(id: text, tool: text, arguments: text)
        try await session.append([.toolCalls([call]), .toolOutput(for: call, text: text)])
        #expect(try await store.sessions(.init(tool: text)).sessions.map(\.id) == [session.id])
        #expect(try await store.sessions(.init(tag: text)).sessions.map(\.id) == [session.id])
        #expect(try await store.sessions(.init(origin: text)).sessions.map(\.id) == [session.id])
        #expect(try await session.summary().title?.utf8.elementsEqual(text.utf8) == true)
        let hits = try await store.search("\"\(FruitStore.prompt)\"", in: .init(tool: text)).hits
        #expect(hits.isEmpty)
      }
      #expect(try await store.verify().isSound)
      #expect(try await store.sessions(limit: 100).sessions.count == Self.sql.count + 1)
    }
  }

  @Test(arguments: [
    "\"", "\"open", "NEAR(", "NEAR(banana ripe, 5)", "*", "**", "ban* *", "text:banana", "col:x",
    "^banana", "AND AND", "banana AND", "NOT", "OR OR", "(banana", "banana)", "{text}: x", "- -",
    "-banana", "--", "a\0b", "\u{1}\u{2}", "\"\"", "\"*\"", "banana + ripe", "' OR 1=1", ";", "\\",
    "\u{FF02}x\u{FF02}", "\u{202E}x", "rank:1", "bm25(x)",
  ])
  func `F2: a query is words, never FTS5's language`(query: String) async throws {
    let fruit = try await FruitStore()
    for order in [[], ["--ranked"]] {
      let run = await CommandRun(
        list: ["search", "--json"] + order + ["--", query],
        environment: ["KEEPSAKE_STORE": fruit.path])
      #expect(run.code == .done || run.code == .usage, "\(query): \(run.error)")
      for word in ["fts5", "syntax error", "SQL", "no such column"] {
        #expect(!run.error.contains(word), "\(query): \(run.error)")
      }
      if run.code == .done { _ = try run.json() }
    }
    #expect(await fruit.run("search", "banana").output.contains("ripe"))
  }

  @Test(.timeLimit(.minutes(60)))
  func `F2: ten thousand words, or a megabyte, end soon`() async throws {
    let fruit = try await FruitStore()
    for query in [
      (0..<10_000).map { "word\($0)" }.joined(separator: " "),
      (0..<10_000).map { "-word\($0)" }.joined(separator: " "),
      String(repeating: "x", count: 1 << 20), String(repeating: "a* ", count: 300_000),
      String(repeating: "\"a\" ", count: 200_000), String(repeating: "香", count: 300_000),
    ] {
      let run = await CommandRun(
        list: ["search", "--json", "--", query], environment: ["KEEPSAKE_STORE": fruit.path])
      #expect(run.code == .done || run.code == .usage, "\(run.error.prefix(200))")
    }
  }
}
