import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

@Suite("keepsake import")
struct ImportCommandTests {
  @Test func `a file becomes a session, and the same again adds nothing`() async throws {
    let folder = try TemporaryFolder()
    let store = folder.path("Chats.keepsake")
    let file = Fixtures.path("apple/os26.json")
    let first = await CommandRun("--store", store, "import", "--json", file)
    #expect(first.code == .done, "\(first.error)")
    let report = try first.json()
    #expect(report.names == ["sessions", "artifacts", "skipped"])
    let session = try #require(report["sessions"]?[0])
    #expect(
      session.names.prefix(6) == ["id", "title", "entries", "attachments", "format", "new"])
    #expect(session["format"]?.stringValue == "apple")
    #expect(session["new"]?.boolValue == true)
    #expect(report["artifacts"]?.names == ["new", "known", "bytes"])
    #expect(report["skipped"]?.arrayValue?.isEmpty == true)

    let again = try await CommandRun("--store", store, "import", "--json", file).json()
    #expect(again["sessions"]?[0]?["id"] == session["id"])
    #expect(again["sessions"]?[0]?["new"]?.boolValue == false)
    #expect(again["sessions"]?[0]?["added"]?.intValue == 0)
    let words = await CommandRun("--store", store, "import", file)
    #expect(words.output.contains("known"))
    #expect(words.output.contains("1 session, 0 new; 0 entries added; 0 new artifacts"))
  }

  @Test func `standard input is taken as a file is`() async throws {
    let fruit = try await FruitStore()
    let text = try String(contentsOfFile: Fixtures.path("apple/os27.json"), encoding: .utf8)
    let run = await fruit.run("import", "-", "--json", input: text)
    #expect(run.code == .done, "\(run.error)")
    #expect(try run.json()["sessions"]?[0]?["new"]?.boolValue == true)
    let nothing = await fruit.run("import", "-")
    #expect(nothing.code == .failed)
    #expect(nothing.output.contains("it is empty"))
  }

  @Test func `a folder is gone through, and what is no conversation is listed with the reason`()
    async throws
  {
    let fruit = try await FruitStore()
    let folder = try TemporaryFolder()
    let below = folder.url.appending(path: "below")
    let files = FileManager.default
    try files.createDirectory(at: below, withIntermediateDirectories: true)
    try files.createDirectory(
      at: folder.url.appending(path: ".hidden"), withIntermediateDirectories: true)
    let chat = Fixtures.path("apple/os26.json")
    try files.copyItem(atPath: chat, toPath: folder.path("below/chat.json"))
    try files.copyItem(atPath: chat, toPath: folder.path(".hidden/chat.json"))
    try files.createSymbolicLink(
      atPath: folder.path("round"), withDestinationPath: folder.url.path)
    try Data("dear diary\u{1B}[2J".utf8).write(to: below.appending(path: "letter\u{1B}[2J.txt"))
    let run = await fruit.run("import", folder.url.path)
    #expect(run.code == .done, "\(run.error)")
    #expect(run.output.contains("1 session, 1 new"))
    #expect(run.output.contains("1 skipped."))
    #expect(run.output.contains("its content is of no format that is known here"))
    #expect(!run.output.contains("\u{1B}"))
    #expect(await fruit.run("import", "--strict", folder.url.path).code == .failed)
    let skipped = try await fruit.run("import", "--json", folder.url.path).json()["skipped"]?[0]
    #expect(skipped?.names == ["path", "line", "reason"])
  }

  @Test func `a file that was named and can't be taken over fails, and the others are taken`()
    async throws
  {
    let fruit = try await FruitStore()
    let codex = fruit.folder.path("rollout.jsonl")
    try Data(#"{"type":"session_meta","payload":{"id":"x"}}"#.utf8).write(to: URL(filePath: codex))
    let run = await fruit.run(
      "import", "/nowhere", codex, Fixtures.path("anylanguagemodel/all.json"))
    #expect(run.code == .failed)
    #expect(run.output.contains("/nowhere"))
    #expect(run.output.contains("is a Codex rollout"))
    #expect(run.output.contains("1 session, 1 new"))
  }
}
