import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

@Suite("keepsake ls")
struct ListCommandTests {
  @Test func `it is a table for people, and has the promised shape for scripts`() async throws {
    let fruit = try await FruitStore()
    let table = await fruit.run("ls")
    #expect(table.code == .done)
    let lines = table.output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("SESSION   TITLE"))
    #expect(lines[1].hasPrefix("\(Words.short(fruit.session))  Fruit"))
    #expect(lines[1].contains("painter-1"))

    let session = try #require(try await fruit.run("ls", "--json").json()[0])
    #expect(
      session.names.prefix(9) == [
        "id", "title", "model", "origin", "created", "updated", "entries", "attachments", "bytes",
      ])
    #expect(session["id"]?.stringValue == fruit.session.uuidString.lowercased())
    #expect(session["entries"]?.intValue == 5)
    #expect(session["created"]?.stringValue?.hasSuffix("Z") == true)
  }

  @Test(arguments: [
    (["--tool", "GenerateImage"], 1), (["--tool", "Other"], 0), (["--has", "image"], 1),
    (["--has", "audio"], 0), (["--model", "painter-1"], 1), (["--origin", "test"], 1),
    (["--since", "1d"], 1), (["--until", "1d"], 0), (["--since", "2000-01-01"], 1),
    (["--until", "2000-01-01T00:00:00Z"], 0), (["--tag", "none"], 0),
  ])
  func `its filters hold`(filter: [String], count: Int) async throws {
    let fruit = try await FruitStore()
    let run = await CommandRun(
      list: ["ls", "--json"] + filter, environment: ["KEEPSAKE_STORE": fruit.path])
    #expect(run.code == .done, "\(run.error)")
    #expect(try run.json().arrayValue?.count == count)
  }

  @Test func `15: words of a title find a session, in the list and in a search`() async throws {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      _ = try await store.createSession(title: "Été with Zorro")
      _ = try await store.createSession(title: "Other")
    }
    let list = await fruit.run("ls", "ete", "zorro")
    #expect(list.output.contains("Été with Zorro"))
    #expect(list.output.split(separator: "\n").count == 2)
    #expect(try await fruit.run("ls", "--json", "zorr*").json().arrayValue?.count == 1)
    #expect(await fruit.run("ls", "nobody").error == "No sessions.\n")
    let search = await fruit.run("search", "zorro")
    #expect(search.output.contains("Été with Zorro  title  "))
    let found = try await fruit.run("search", "zorro", "--json").json()
    #expect(found.arrayValue?.count == 1)
    #expect(found[0]?["kind"]?.stringValue == "title")
    #expect(found[0]?["position"] == .null)
    let part = await fruit.run("search", "zorro", "--in", "prompt")
    #expect(part.error == "Nothing found.\n")
    // An entry is found behind the titles.
    let fruits = try await fruit.run("search", "fruit", "--json").json().arrayValue
    #expect(fruits?.first?["kind"]?.stringValue == "title")
  }

  @Test func `22: a fork is told from what it was forked from`() async throws {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      let fork = try await store.session(fruit.session).fork(before: 4)
      try await fork.append(.response("Another banana."))
    }
    let list = await fruit.run("ls")
    #expect(list.output.contains("Fruit … from 4"))
    let forks = try await fruit.run("ls", "--json").json().arrayValue ?? []
    #expect(forks.compactMap { $0["forkPosition"]?.intValue } == [4])
    let shown = await fruit.run("show", "last", "--last", "1")
    #expect(shown.output.contains("a fork of \(fruit.session.uuidString.lowercased()), from 4"))
  }

  @Test func `its pages show every session once`() async throws {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      for number in 0..<6 { _ = try await store.createSession(title: "Session \(number)") }
    }
    var ids: [String] = []
    var rest: [String] = []
    repeat {
      let run = await CommandRun(
        list: ["ls", "--jsonl", "--limit", "3"] + rest,
        environment: ["KEEPSAKE_STORE": fruit.path])
      let lines = try run.output.split(separator: "\n").map { try JSON(validating: String($0)) }
      ids += lines.compactMap { $0["id"]?.stringValue }
      rest = lines.last?["next"]?.stringValue.map { ["--after", $0] } ?? []
    } while !rest.isEmpty && ids.count < 20
    #expect(ids.count == 7)
    #expect(Set(ids).count == 7)
    let first = await fruit.run("ls", "--limit", "3")
    #expect(first.error.contains("There is more: --after "))
    #expect(await fruit.run("ls", "--after", "x y").code == .usage)
    #expect(await fruit.run("ls", "--limit", "0").code == .usage)
    #expect(await fruit.run("ls", "--since", "soon").code == .usage)
  }

  @Test(arguments: [40, 60, 80, 200])
  func `its lines fit into the terminal, whatever the title says`(width: Int) async throws {
    let fruit = try await FruitStore()
    let titles = [
      String(repeating: "香蕉", count: 60), String(repeating: "🍌e\u{301}", count: 60),
      "\u{1B}]0;owned\u{7}\u{202E}a\r\nb\u{9B}2J" + String(repeating: "x", count: 300),
    ]
    try await fruit.change { store in
      for title in titles { _ = try await store.createSession(title: title) }
    }
    let run = await fruit.run("ls", width: width)
    #expect(run.output.split(separator: "\n").count == 5)
    #expect(run.output.contains("SIZE") == (width > 60), "Columns leave where there is no room.")
    for line in run.output.split(separator: "\n") {
      #expect(String(line).columns <= width, "\(line)")
      for scalar in ["\u{1B}", "\u{7}", "\u{202E}", "\r", "\u{9B}"] as [Unicode.Scalar] {
        #expect(!line.unicodeScalars.contains(scalar))
      }
    }
    #expect(await fruit.run("ls").output.contains(titles[0]), "In a pipe nothing is cut off.")
  }
}
