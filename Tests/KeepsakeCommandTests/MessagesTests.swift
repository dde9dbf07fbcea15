import Foundation
import Keepsake
import KeepsakeFormats
import Testing

@testable import KeepsakeCommand

@Suite("What is said of errors")
struct MessagesTests {
  @Test func `what an app shows of an error is its message`() async throws {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      let unknown = try await #require(throws: KeepsakeError.self) {
        try await store.session(UUID())
      }
      #expect((unknown as any Error).localizedDescription == unknown.message)
      #expect((unknown as any Error as NSError).domain == "Keepsake.KeepsakeError")
      let file = try await #require(throws: FormatError.self) {
        try await store.importFile(at: URL(filePath: "/nowhere/a.json"))
      }
      #expect((file as any Error).localizedDescription == file.message)
      #expect((file as any Error as NSError).domain == "KeepsakeFormats.FormatError")
      let codes = [unknown as any Error, file].map { ($0 as NSError).code }
      #expect(codes.allSatisfy { $0 > 0 })
    }
    let json = try #require(throws: JSONError.self) { try JSON(validating: "{") }
    #expect((json as any Error).localizedDescription == json.message)
    let query = try #require(throws: SearchQueryError.self) { try SearchQuery("-a") }
    #expect((query as any Error).localizedDescription == query.message)
  }

  @Test func `an id in a message is spelled as it is everywhere else`() async throws {
    let fruit = try await FruitStore()
    let id = try #require(UUID(uuidString: "ABCDEF01-ABCD-4BCD-8BCD-ABCDEFABCDEF"))
    let spelled = id.uuidString.lowercased()
    try await fruit.change { store in
      let unknown = try await #require(throws: KeepsakeError.self) { try await store.session(id) }
      #expect(unknown.message.contains(spelled))
      #expect(unknown.object == spelled)
      let session = try await store.createSession(id: id)
      let outside = try await #require(throws: KeepsakeError.self) {
        try await session.entry(at: 7)
      }
      #expect(outside.message.contains(spelled), "\(outside.message)")
      #expect(outside.object == spelled)
      let twice = try await #require(throws: KeepsakeError.self) {
        try await store.createSession(id: id)
      }
      #expect(twice.message.contains(spelled), "\(twice.message)")
    }
    let shown = await fruit.run("show", spelled, "--entry", "9")
    #expect(shown.error.contains(spelled), "\(shown.error)")
  }

  @Test func `a sentence ends with one full stop`() async throws {
    let fruit = try await FruitStore()
    let broken = await fruit.run("append", "last", input: "{")
    #expect(broken.code == .failed)
    #expect(!broken.error.contains(".."), "\(broken.error)")
    #expect(broken.error.contains(". Nothing was appended."))

    let file = fruit.folder.path("copy.json")
    let exported = await fruit.run("export", "last", "--format", "json")
    try Data(exported.output.replacing(#""kind":"prompt""#, with: #""kind":prompt"#).utf8)
      .write(to: URL(filePath: file))
    let other = fruit.folder.path("Other.keepsake")
    let taken = await CommandRun("--store", other, "import", file)
    #expect(taken.code == .failed)
    #expect(!taken.output.contains(".."), "\(taken.output)")
  }

  @Test func `a damaged store is told of with one full stop`() async throws {
    let fruit = try await FruitStore()
    try FullStore.change(
      fruit.path, "UPDATE entry SET body = '{\"v\":1,\"segments\":[{,' WHERE kind IN (1, 3)")
    for arguments in [["show", "last"], ["search", "banana"], ["audit", "last"]] {
      let run = await CommandRun(list: arguments, environment: ["KEEPSAKE_STORE": fruit.path])
      #expect(!run.error.contains(".."), "\(arguments): \(run.error)")
    }
  }

  @Test func `what was kept though it is not understood is not told of as skipped`() async throws {
    let fruit = try await FruitStore()
    let file = fruit.folder.path("odd.json")
    let text =
      #"{"transcript":{"entries":[{"id":"1","role":"user","contents":[{"type":"text","text":"Hi"}]},{"id":"2","role":"poem","lines":3}]}}"#
    try Data(text.utf8).write(to: URL(filePath: file))
    let run = await fruit.run("import", file)
    #expect(run.code == .done, "\(run.error)")
    #expect(run.output.contains("is kept as it is, and not understood"), "\(run.output)")
    #expect(run.output.contains("note  "))
    #expect(!run.output.contains("skipped  "), "\(run.output)")
    #expect(run.output.contains("0 skipped."))
    #expect(run.error.isEmpty, "\(run.error)")
    // Where it is to fail it, it is told as what failed.
    let other = try await FruitStore()
    let strict = await other.run("import", "--strict", file)
    #expect(strict.code == .failed)
    #expect(strict.error.contains("note  "), "\(strict.error)")
    #expect(!strict.output.contains("note  "), "\(strict.output)")
    let json = try await fruit.run("import", "--json", file).json()
    #expect(json["skipped"]?[0]?["kept"]?.boolValue == true)
  }

  @Test func `a label that is taken is told of, with the one that was given`() async throws {
    let fruit = try await FruitStore()
    let file = fruit.folder.path("x.bin")
    try Data([1, 2, 3]).write(to: URL(filePath: file))
    let free = await fruit.run("attach", "last", file, "--label", "cup")
    #expect(free.output == "cup\n")
    #expect(free.error.isEmpty)
    let taken = await fruit.run("attach", "last", file, "--label", "cup")
    #expect(taken.code == .done)
    let given = taken.output.trimmingCharacters(in: .newlines)
    #expect(given != "cup")
    #expect(taken.error.contains("'cup' is taken"), "\(taken.error)")
    #expect(taken.error.contains("'\(given)'"))
  }

  @Test func `a tag that begins with its mark is shown with one`() async throws {
    let fruit = try await FruitStore()
    #expect(await fruit.run("tag", "last", "#e", "food").code == .done)
    _ = await fruit.run("append", "last", "--kind", "prompt", "--tag", "#late", "hm")
    for arguments in [["ls"], ["show", "last"], ["export", "last", "--format", "markdown"]] {
      let run = await CommandRun(list: arguments, environment: ["KEEPSAKE_STORE": fruit.path])
      #expect(!run.output.contains("##e"), "\(run.output)")
      #expect(!run.output.contains("##late"), "\(run.output)")
      #expect(run.output.contains("#late") || arguments == ["ls"])
    }
    #expect(await fruit.run("ls").output.contains("#e #food"))
  }

  @Test(arguments: [["--store=", "ls"], ["ls", "--store"], ["ls", "--store="], ["--store"]])
  func `what is wrong with --store points to the help of all commands`(arguments: [String])
    async throws
  {
    let run = await CommandRun(list: arguments)
    #expect(run.code == .usage)
    #expect(run.error.contains("'--store' needs a value: --store PATH. See 'keepsake --help'."))
  }

  @Test func `the beginning of several ids lists the sessions that it may mean`() async throws {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      for number in 0..<9 {
        let id = UUID(uuidString: "abcdef0\(number)-0000-4000-8000-00000000000\(number)")
        _ = try await store.createSession(title: "Bowl \(number)", id: #require(id))
      }
    }
    let run = await fruit.run("show", "abcdef")
    #expect(run.code == .failed)
    #expect(run.error.contains("'abcdef'"))
    #expect(run.error.contains("abcdef08 Bowl 8"), "\(run.error)")
    #expect(run.error.contains("and 4 more"))
    #expect(run.error.split(separator: "\n").count == 1)
    let two = await fruit.run("show", "abcdef00-0000-4000-8000-00000000000")
    #expect(two.code != .failed || !two.error.contains("more"), "One is meant.")
  }

  @Test func `where there is nothing to import, no store is made`() async throws {
    let folder = try TemporaryFolder()
    let store = folder.path("New.keepsake")
    let letter = folder.path("letter.txt")
    try Data("dear diary".utf8).write(to: URL(filePath: letter))
    let cut = folder.path("cut.json")
    try Data(#"{"transcript":{"entries":[{"id":"1","role":"user","contents":["#.utf8)
      .write(to: URL(filePath: cut))
    let empty = folder.url.appending(path: "empty")
    try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
    for path in [folder.path("nofile"), letter, cut, empty.path, "-"] {
      let run = await CommandRun("--store", store, "import", path)
      #expect(run.output.contains("0 sessions, 0 new"), "\(run.output) \(run.error)")
      #expect(!FileManager.default.fileExists(atPath: store), "\(path)")
      #expect(run.code == (path == empty.path ? .done : .failed))
    }
    let both = await CommandRun(
      "--store", store, "import", folder.path("nofile"), Fixtures.path("apple/os26.json"))
    #expect(both.code == .failed)
    #expect(both.output.contains("1 session, 1 new"))
  }

  @Test func `a URL of the network is no place on the disk`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a")
    let url = try #require(URL(string: "https://example.com\(path)"))
    let error = try await #require(throws: KeepsakeError.self) { try await Store(at: url) }
    #expect(error.code == .invalid)
    #expect(error.message.contains("https://example.com"))
    #expect(!FileManager.default.fileExists(atPath: path))
    let fruit = try await FruitStore()
    let file = try #require(URL(string: "https://example.com\(Fixtures.path("apple/os26.json"))"))
    try await fruit.change { store in
      let session = try await store.session(fruit.session)
      await #expect(throws: KeepsakeError.self) { try await session.attach(.init(.file(file))) }
      await #expect(throws: FormatError.self) { try await store.importFile(at: file) }
      await #expect(throws: KeepsakeError.self) { try await store.backup(to: url) }
      await #expect(throws: FormatError.self) {
        try await store.export([session], as: "json", to: url)
      }
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
