import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

@Suite("keepsake search")
struct SearchCommandTests {
  @Test(arguments: [
    (["banana"], 4), (["BANANA", "ripe"], 2), (["banana", "-please"], 3), (["banana -please"], 3),
    ([#""ripe banana""#], 2), (["plea*"], 1), (["cherry"], 0), (["--in", "prompt", "banana"], 1),
    (["--in", "tool", "--in", "prompt", "banana"], 3), (["--session", "last", "banana"], 4),
    (["--tool", "Other", "banana"], 0), (["--until", "1d", "banana"], 0),
    (["--read-only", "banana"], 4), (["--ranked", "banana"], 4),
  ])
  func `it finds what the query asks for`(query: [String], count: Int) async throws {
    let fruit = try await FruitStore()
    let run = await CommandRun(
      list: ["search", "--json"] + query, environment: ["KEEPSAKE_STORE": fruit.path])
    #expect(run.code == .done, "\(run.error)")
    #expect(try run.json().arrayValue?.count == count, "\(run.output)")
  }

  @Test func `its hits stand under their session, with what was found in colour`() async throws {
    let fruit = try await FruitStore()
    let run = await fruit.run("search", "please", isStyled: true, width: 80)
    #expect(run.output.contains("\u{1B}[1;31mplease\u{1B}[0m"))
    let plain = await fruit.run("search", "please")
    #expect(plain.output.hasPrefix("\(Words.short(fruit.session))  Fruit\n     1  prompt"))
    #expect(!plain.output.contains("\u{1B}"))
    let none = await fruit.run("search", "cherry")
    #expect(none.code == .done)
    #expect(none.output.isEmpty)
    #expect(none.error == "Nothing found.\n")
  }

  @Test(arguments: [50, 80])
  func `on a terminal a hit is one line, and what was looked for is in it`(width: Int) async throws
  {
    let fruit = try await FruitStore()
    let long = Array(repeating: "香蕉 apples", count: 8).joined(separator: " ")
    try await fruit.change { store in
      let session = try await store.createSession(title: long + long)
      try await session.append(.prompt("\(long)\nquince\t\(long)"))
    }
    let run = await fruit.run("search", "quince", width: width)
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.last?.contains("quince") == true, "\(run.output)")
    for line in lines { #expect(String(line).columns <= width, "\(line)") }
    #expect(
      await fruit.run("search", "quince", isStyled: true, width: width).output
        .contains("\u{1B}[1;31mquince\u{1B}[0m"))
  }

  @Test func `its JSON has the promised shape`() async throws {
    let fruit = try await FruitStore()
    let hit = try #require(try await fruit.run("search", "please", "--json").json()[0])
    #expect(
      hit.names == [
        "session", "title", "position", "entry", "kind", "callID", "created", "snippet", "score",
      ])
    try await fruit.change { store in
      let entry = try await store.session(fruit.session).entry(at: 1)
      #expect(hit["entry"]?.stringValue == entry.id.uuidString.lowercased())
    }
    let ranked = try await fruit.run("search", "--ranked", "please", "--json").json()
    #expect(ranked[0]?["score"]?.doubleValue != nil)
  }

  @Test(arguments: [["..."], ["-banana"], ["--in", "promt", "x"], ["--limit", "x", "y"], []])
  func `a query that makes no sense is a usage error`(query: [String]) async throws {
    let fruit = try await FruitStore()
    let run = await CommandRun(
      list: ["search"] + query, environment: ["KEEPSAKE_STORE": fruit.path])
    #expect(run.code == .usage)
    #expect(run.error.split(separator: "\n").count == 1)
  }
}
