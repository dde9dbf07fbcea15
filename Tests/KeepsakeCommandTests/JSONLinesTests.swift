import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

@Suite("A record is a line of JSON")
struct JSONLinesTests {
  /// As foreign programs lay JSON out.
  private static let structure = "{\n  \"ripe\": true,\r\n\t\"says\": \"a\\nb  c\"\n}"

  private static func store() async throws -> FruitStore {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      let session = try await store.session(fruit.session)
      let json = try JSON(validating: structure)
      var entry = Entry(.response, segments: [.structure(json, schema: "Fruit")])
      entry.metadata = try JSON(validating: "{\n\"app\" : 1}")
      try await session.append(entry)
      try await session.revise(5, to: entry)
      try await session.append(.response("after it"))
    }
    return fruit
  }

  @Test func `what is stored over several lines is shown on one, with the same strings`()
    async throws
  {
    let fruit = try await Self.store()
    let run = await fruit.run("show", "last", "--json")
    #expect(run.output.split(separator: "\n").count == 1)
    let entry = try run.json()["entries"]?[5]
    let structure = entry?["segments"]?[0]?["structure"]
    #expect(structure?["says"]?.stringValue == "a\nb  c")
    try await fruit.change { store in
      let stored = try await store.session(fruit.session).entry(at: 5)
      let json = try JSON(validating: Self.structure)
      #expect(stored.segments == [.structure(json, schema: "Fruit")])
    }
  }

  @Test func `each record of show --follow is a line`() async throws {
    let fruit = try await Self.store()
    let run = LiveRun("show", "last", "--follow", "--json", store: fruit.path)
    #expect(try await run.prints("after it"))
    #expect(await run.stop() == .done)
    let lines = try run.output.split(separator: "\n").map { try JSON(validating: String($0)) }
    #expect(lines.map(\.names) == [["session"]] + Array(repeating: ["entry"], count: 7))
  }

  @Test(arguments: ["json", "bundle"])
  func `each record of an export is a line, and comes back to the byte`(format: String)
    async throws
  {
    let fruit = try await Self.store()
    let export = await fruit.run("export", "last", "--format", format)
    #expect(export.code == .done, "\(export.error)")
    let records = export.output.split(separator: "\n").filter { $0.contains(#""body":"#) }
    #expect(records.count >= 7)
    for record in records {
      var text = record.drop { $0 != "{" }
      while !text.isEmpty, (try? JSON(validating: String(text))) == nil { text.removeLast() }
      #expect(record.count - text.count <= 4 && text.hasSuffix("}"), "\(record.prefix(200))")
    }
    let file = fruit.folder.path("copy")
    try Data(export.bytes).write(to: URL(filePath: file))
    let other = fruit.folder.path("Other.keepsake")
    let taken = await CommandRun("--store", other, "import", file)
    #expect(taken.code == .done, "\(taken.output) \(taken.error)")
    #expect(await CommandRun("--store", other, "verify", "--read-data").code == .done)
    let again = await CommandRun("--store", other, "export", "last", "--format", format)
    #expect(again.bytes == export.bytes)
    let shown = await CommandRun("--store", other, "show", "last", "--json")
    #expect(shown.output == (await fruit.run("show", "last", "--json")).output)
    let store = try await Store(at: URL(filePath: other))
    let stored = try await store.session(fruit.session).entry(at: 5)
    await store.close()
    let json = try JSON(validating: Self.structure)
    #expect(stored.segments == [.structure(json, schema: "Fruit")])
  }
}
