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
    let refused = await fruit.run("export", both[0], both[1], "--format", "apple")
    #expect(refused.code == .usage)
    let folder = try TemporaryFolder()
    let run = await fruit.run(
      "export", both[0], both[1], "--format", "apple", "-o", folder.url.path)
    #expect(run.code == .done, "\(run.error)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        == both.map { "Fruit-\($0.prefix(8)).json" }.sorted())
    #expect(
      await fruit.run("export", both[0], "--format", "apple", "-o", folder.url.path).code == .failed
    )
    #expect(
      await fruit.run(
        "export", both[0], "--format", "apple", "--force", "-o", folder.url.path
      ).code == .done)
    #expect(run.output.isEmpty)
  }

  @Test func `16: what is exported without a word more comes back whole, images and all`()
    async throws
  {
    let fruit = try await FruitStore()
    let folder = try TemporaryFolder()
    let (path, other) = (folder.path("fruit.json"), folder.path("Other.keepsake"))
    let run = await fruit.run("export", "last", "-o", path)
    #expect(run.code == .done, "\(run.error)")
    #expect(!run.error.contains("no place"))
    #expect(await CommandRun("--store", other, "import", path).code == .done)
    let image = folder.path("image.png")
    #expect(await CommandRun("--store", other, "get", "last/image_1", "-o", image).code == .done)
    #expect(FileManager.default.contents(atPath: image) == Data(fruit.png))
    let printed = await fruit.run("export", "last")
    #expect(Data(printed.bytes) == FileManager.default.contents(atPath: path))
  }

  @Test(arguments: [
    ("a.html", "<!DOCTYPE html>"), ("a.MD", "# Fruit"), ("a.tar", "keepsake"),
    ("a.json", #"{"keepsake":"transcript""#), ("a.txt", #"{"keepsake":"transcript""#),
  ])
  func `16: a file's name says which format is meant`(name: String, beginning: String)
    async throws
  {
    let fruit = try await FruitStore()
    let folder = try TemporaryFolder()
    let path = folder.path(name)
    #expect(await fruit.run("export", "last", "-o", path).code == .done)
    let text = String(
      decoding: try #require(FileManager.default.contents(atPath: path)).prefix(200), as: UTF8.self)
    #expect(text.hasPrefix(beginning), "\(text)")
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

  @Test func `all sessions, or those that are asked for, go into a folder that is made`()
    async throws
  {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      try await store.createSession(title: "Tagged", tags: ["b"]).append(.prompt("hello"))
    }
    let folder = try TemporaryFolder()
    func names(_ name: String) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder.path(name)).sorted()
    }
    let all = await fruit.run("export", "--all", "--format", "md", "-o", folder.path("all"))
    #expect(all.code == .done, "\(all.error)")
    #expect(all.error.contains("2 sessions in 2 files, 1 artifact in folders beside them"))
    #expect(try names("all").count { $0.hasSuffix(".md") } == 2)
    #expect(try names("all").count { $0.hasSuffix(".artifacts") } == 1)
    for (number, filter) in [["--tag", "b"], ["--tool", "GenerateImage"], ["--since", "1d"]]
      .enumerated()
    {
      let run = await CommandRun(
        list: ["export", "--all", "--format", "apple", "-o", folder.path("\(number)")] + filter,
        environment: ["KEEPSAKE_STORE": fruit.path])
      #expect(run.code == .done)
      #expect(try names("\(number)").count == (number == 2 ? 2 : 1))
    }
    let none = await fruit.run("export", "--all", "--tag", "no", "-o", folder.path("none"))
    #expect(none.code == .done)
    #expect(none.error == "No sessions.\n")
    #expect(!FileManager.default.fileExists(atPath: folder.path("none")))
  }

  @Test func `artifacts become files beside, and on a stream words`() async throws {
    let fruit = try await FruitStore()
    let folder = try TemporaryFolder()
    let run = await fruit.run("export", "last", "--format", "markdown", "-o", folder.path("a.md"))
    #expect(run.code == .done)
    #expect(run.error.contains("a.md  with 1 artifact in a folder beside it"))
    #expect(
      FileManager.default.contents(atPath: folder.path("a.artifacts/image_1.png"))
        == Data(fruit.png))
    let printed = await fruit.run("export", "last", "--format", "markdown")
    #expect(printed.code == .done)
    #expect(printed.output.hasPrefix("# Fruit\n"))
    #expect(printed.error.contains("the bytes of 1 attachment"))
    let shown = await fruit.run("export", "last", "--format", "markdown", width: 80)
    #expect(shown.output == printed.output)
  }

  @Test func `what a model goes on from fits, and the rest is told`() async throws {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      let session = try await store.session(fruit.session)
      for number in 0..<10 {
        try await session.append(.prompt("Question \(number)?"))
        try await session.append(.response(String(repeating: "Answer. ", count: 40)))
      }
    }
    let run = await fruit.run("export", "last", "--fit", "300")
    #expect(run.code == .done, "\(run.error)")
    #expect(run.error.contains("as a model is not given it"))
    #expect(run.error.contains("entries that did not fit"))
    let entries = try run.json()["transcript"]?["entries"]?.arrayValue
    #expect(entries?.first?["role"]?.stringValue == "instructions")
    #expect(entries?.count ?? 0 < 10)
    let small = await fruit.run("export", "last", "--fit", "3")
    #expect(small.code == .failed)
    #expect(small.error.contains("Give a budget of at least"))
  }

  @Test(arguments: [
    (["export"], "'export' needs SESSION…, or --all."),
    (["export", "--all", "last", "-o", "x"], "'--all' and a SESSION don't go together."),
    (
      ["export", "--all", "--format", "apple"],
      "Several sessions go into a folder: name one with -o."
    ),
    (["export", "last", "--tag", "a"], "'--tag' chooses among all sessions. Give --all with it."),
    (
      ["export", "last", "--format", "apple", "--artifacts", "files"],
      "With 'apple' artifacts can be inline or none"
    ),
    (["export", "last", "--format", "md", "--artifacts", "files"], "name one with -o"),
    (["export", "last", "--format", "md", "--fit", "9"], "No model goes on from 'md'."),
    (["export", "last", "--fit", "0"], "'--fit' takes a whole number from 1 on"),
    (["export", "last", "--artifacts", "file"], "Did you mean 'files'?"),
  ])
  func `what makes no sense is said before anything is opened`(
    arguments: [String], message: String
  ) async {
    let run = await CommandRun(list: ["--store", "/nowhere/a"] + arguments)
    #expect(run.code == .usage)
    #expect(run.error.contains(message), "\(run.error)")
  }
}
