import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

@Suite("keepsake export")
struct ExportCommandTests {
  @Test(arguments: [
    ("apple/os26.json", "apple"), ("apple/os27.json", "apple"), ("apple/fm.json", "apple"),
    ("anylanguagemodel/all.json", "anylanguagemodel"),
  ])
  func `what was imported comes back to the byte`(file: String, format: String) async throws {
    let folder = try TemporaryFolder()
    let store = folder.path("Chats.keepsake")
    let original = try #require(FileManager.default.contents(atPath: Fixtures.path(file)))
    #expect(await CommandRun("--store", store, "import", Fixtures.path(file)).code == .done)
    let printed = await CommandRun("--store", store, "export", "last", "--format", format)
    #expect(printed.code == .done, "\(printed.error)")
    #expect(Data(printed.bytes) == original)
    let path = folder.path("out.json")
    #expect(
      await CommandRun("--store", store, "export", "last", "--format", format, "-o", path).code
        == .done)
    #expect(FileManager.default.contents(atPath: path) == original)
  }

  @Test func `html is a page that holds the images, and says who wrote it`() async throws {
    let fruit = try await FruitStore()
    let folder = try TemporaryFolder()
    let path = folder.path("fruit.html")
    let run = await fruit.run("export", "last", "--format", "html", "-o", path)
    #expect(run.code == .done, "\(run.error)")
    let page = String(
      decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self)
    #expect(page.contains("data:image/png;base64,\(Data(fruit.png).base64EncodedString())"))
    #expect(page.contains("Written by keepsake \(Program.version)"))
    #expect(
      await fruit.run("export", "last", "--format", "html", "-o", folder.url.path).code == .done)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(names.filter { $0.hasSuffix(".html") }.count == 2)
  }

  @Test func `several go into a folder, each under a name of its own`() async throws {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      let other = try await store.createSession(title: "../Fruit")
      try await other.append(.prompt("hello"))
    }
    let ids = try await fruit.run("ls", "--json").json().arrayValue?.compactMap {
      $0["id"]?.stringValue
    }
    let both = try #require(ids)
    let refused = await fruit.run("export", both[0], both[1])
    #expect(refused.code == .usage)
    let folder = try TemporaryFolder()
    let run = await fruit.run("export", both[0], both[1], "-o", folder.url.path)
    #expect(run.code == .done, "\(run.error)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        == both.map { "Fruit-\($0.prefix(8)).json" }.sorted())
    #expect(await fruit.run("export", both[0], "-o", folder.url.path).code == .failed)
    #expect(await fruit.run("export", both[0], "--force", "-o", folder.url.path).code == .done)
    #expect(run.output.isEmpty)
  }

  @Test func `what a format has no place for is told, and what a terminal would obey is escaped`()
    async throws
  {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      try await store.session(fruit.session).append([
        .event("routed \u{9B}2J"), .response("\u{9B}2J\u{202E}"),
      ])
    }
    let run = await fruit.run("export", "last", "--format", "apple26", width: 80)
    #expect(run.code == .done, "\(run.error)")
    #expect(run.error.contains("1 event"))
    #expect(!run.output.unicodeScalars.contains("\u{9B}"))
    #expect(run.output.contains(#"\u009b2J\u202e"#))
    #expect(try run.json().members != nil)
    let unknown = await fruit.run("export", "last", "--format", "appel")
    #expect(unknown.code == .usage)
    #expect(unknown.error.contains("Did you mean 'apple'?"))
  }
}
