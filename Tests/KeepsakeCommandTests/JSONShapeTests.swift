import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeFormats
import Testing

@testable import KeepsakeCommand

@Suite("What the command prints as JSON")
struct JSONShapeTests {
  /// The members that the documentation names, by section, in its order.
  private static func documented() throws -> [String: [String]] {
    let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Documentation/JSON.md")
    var sections: [String: [String]] = [:]
    var section = ""
    for line in try String(contentsOf: page, encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix("## ") {
        section = String(line.dropFirst(3))
      } else if line.hasPrefix("| `") {
        let cell = line.dropFirst(2).prefix { $0 != "|" }
        let names = cell.split(separator: "`").filter { $0.allSatisfy(\.isLetter) }
        sections[section, default: []] += names.map(String.init)
      }
    }
    return sections
  }

  @Test func `is what the documentation says, member by member`() async throws {
    let fruit = try await FruitStore()
    let followed = try await Self.followed(fruit)
    let imported = await fruit.run("import", "--json", Fixtures.path("apple/os26.json"))
    let trail = try await fruit.run("audit", fruit.image.description, "--json").json()
    let id = fruit.session.uuidString
    let folder = try TemporaryFolder()
    let banana = folder.path("banana.png")
    try Data(fruit.png).write(to: URL(filePath: banana))
    let printed: [String: JSON?] = [
      "ls": try await fruit.run("ls", "--json").json()[0],
      "import": try imported.json(),
      "watch": .object(try await Self.watched(fruit).map { ($0, .null) }),
      "watch --status": try await Self.status(fruit),
      "show": try await fruit.run("show", id, "--json").json(),
      "show --follow": .object(followed.map { ($0, .null) }),
      "log": try await fruit.run("log", "--json").json()[0],
      "search": try await fruit.run("search", "please", "--json").json()[0],
      "artifacts": try await fruit.run("artifacts", "--json").json()[0],
      "audit ARTIFACT": trail,
      "attachment": trail["attachments"]?[0],
      "audit --tool": try await fruit.run("audit", "--tool", "GenerateImage", "--json").json()[0],
      "audit FILE": try await fruit.run("audit", banana, "--json").json(),
      "audit SESSION": try await fruit.run("audit", id, "--json").json(),
      "append": try await fruit.run("append", id, "--kind", "event", "x").json(),
      "stats": try await fruit.run("stats", "--json").json(),
      "stats --by": try await fruit.run("stats", "--by", "day", "--json").json(),
      "formats": try await fruit.run("formats", "--json").json()[0],
      "doctor": try await fruit.run("doctor", "--json").json(),
      "rescue": try await fruit.run("rescue", Self.session(in: folder), "--json").json(),
      "sweep": try await fruit.run("sweep", "--dry-run", "--json").json(),
      "compact": try await fruit.run("compact", "--json").json(),
      "hub init": try await fruit.run("hub", "init", folder.path("Hub"), "--json").json(),
      "hub status": try await Self.hubStatus(fruit, folder.path("Hub")),
      "hub upgrade": try await fruit.run("hub", "upgrade", "--json").json(),
      "hub check": try await fruit.run("hub", "check", "--json").json(),
      "hub sweep": try await fruit.run("hub", "sweep", "--json").json(),
      "hub export": try await fruit.run("hub", "export", "-o", folder.path("all.tar"), "--json")
        .json(),
      "sync": try await fruit.run("sync", "--json").json(),
      "verify": try await fruit.run("verify", "--json").json(),
      "backup": try await fruit.run("backup", folder.path("Copy.keepsake"), "--json").json(),
    ]
    let documented = try Self.documented()
    #expect(documented.keys.sorted() == printed.keys.sorted())
    for (section, json) in printed {
      #expect(try #require(json).names == documented[section], "\(section)")
    }
  }

  /// A session of Claude Code that can be gone on with.
  private static func session(in folder: TemporaryFolder) throws -> String {
    let line =
      #"{"parentUuid":null,"sessionId":"s-1","type":"user","uuid":"u-1","message":{"role":"user","content":"Hello."}}"#
    let path = folder.path("session.jsonl")
    try Data((line + "\n").utf8).write(to: URL(filePath: path))
    return path
  }

  /// The members that lines of a watch have, in the documentation's order.
  private static func watched(_ fruit: FruitStore) async throws -> [String] {
    let lines = Locked<[UInt8]>([])
    let terminal = Terminal(
      output: { bytes in lines.withLock { $0 += bytes } }, error: { _ in })
    let page = WatchPage(terminal: terminal, isJSON: true, now: { Date() })
    let file = Fixtures.path("claude-code/banana.jsonl")
    try await fruit.change { store in
      let report = try await store.importFile(at: URL(filePath: file))
      let news: [AgentWatch.News] = [
        .took(path: file, report), .looked(files: 1),
        .skipped(path: "/home/alice/b.jsonl", reason: "why"), .waits(reason: "why"), .goesOn,
      ]
      for one in news { try await page.show(one, in: store) }
    }
    return try lines.withLock { $0 }.split(separator: UInt8(ascii: "\n")).flatMap {
      try JSON(validating: String(decoding: $0, as: UTF8.self)).names
    }
  }

  /// How far a store is in step that joined a hub and synced.
  private static func hubStatus(_ fruit: FruitStore, _ hub: String) async throws -> JSON {
    _ = await fruit.run("join", hub)
    _ = await fruit.run("sync")
    return try await fruit.run("hub", "status", "--json").json()
  }

  /// How a watch says that it is, which waited and skipped a file.
  private static func status(_ fruit: FruitStore) async throws -> JSON {
    try await fruit.change { store in
      var state = WatchState([], at: Date())
      state.add(.waits(reason: "why"), at: Date())
      try WatchPost(store).write(state)
    }
    return try await fruit.run("watch", "--status", "--json").json()
  }

  /// The members that lines of a session have which is followed to its end, in the documentation's order.
  private static func followed(_ fruit: FruitStore) async throws -> [String] {
    var names: [String] = []
    try await fruit.change { store in
      let session = try await store.createSession(title: "short")
      let run = LiveRun(
        "show", session.id.uuidString, "--follow", "--json", store: fruit.path)
      #expect(try await run.prints("session"))
      try await session.append(.prompt("one"))
      #expect(try await run.prints("entry"))
      try await session.revise(0, to: .prompt("two"))
      #expect(try await run.prints("revised"))
      try await session.attach(.init(.bytes([1])), to: 0)
      #expect(try await run.prints("attached"))
      let tool = try await session.begin(.tool, "Draw")
      try await session.end(tool, .finished)
      #expect(try await run.prints("ended"))
      try await store.deleteSession(session.id)
      #expect(await run.end() == .done)
      for line in run.output.split(separator: "\n") {
        let json = try JSON(validating: String(line))
        names += json.names.filter { !names.contains($0) }
      }
    }
    return names
  }
}
