import KeepsakeFiles
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
    #expect(report.names == ["sessions", "artifacts", "skipped", "files"])
    let session = try #require(report["sessions"]?[0])
    #expect(
      session.names.prefix(6) == ["id", "title", "entries", "attachments", "format", "new"])
    #expect(session["format"]?.stringValue == "apple")
    #expect(session["new"]?.boolValue == true)
    #expect(report["artifacts"]?.names == ["new", "known", "bytes"])
    #expect(report["skipped"]?.arrayValue?.isEmpty == true)
    let doctor = try await CommandRun("--store", store, "doctor", "--json").json()
    #expect(doctor["waitingForSearch"]?.intValue == 0)

    let again = try await CommandRun("--store", store, "import", "--json", file).json()
    #expect(again["sessions"]?[0]?["id"] == session["id"])
    #expect(again["sessions"]?[0]?["new"]?.boolValue == false)
    #expect(again["sessions"]?[0]?["added"]?.intValue == 0)
    let words = await CommandRun("--store", store, "import", file)
    #expect(words.output.contains("known"))
    #expect(words.output.contains("1 session, 0 new; 0 entries added; 0 new artifacts"))
  }

  /// A transcript with counted ids.
  private static func chat(_ folder: TemporaryFolder, _ name: String, _ texts: String...) throws
    -> String
  {
    let entries = texts.enumerated().map { index, text in
      #"{"id":"\#(index)","role":"\#(index % 2 == 0 ? "user" : "response")","contents":[{"type":"text","text":"\#(text)"}]}"#
    }
    let path = folder.path(name)
    try Data(#"{"transcript":{"entries":[\#(entries.joined(separator: ","))]}}"#.utf8)
      .write(to: URL(filePath: path))
    return path
  }

  @Test
  func `38: a file that differs from a session with its ids is one of its own, and it says so`()
    async throws
  {
    let fruit = try await FruitStore()
    let first = try Self.chat(fruit.folder, "a.json", "Bread?", "Rye.")
    let other = try Self.chat(fruit.folder, "b.json", "Bread?", "Wheat.", "Thanks.")
    let id = try #require(
      try await fruit.run("import", "--json", first).json()["sessions"]?[0]?["id"]?.stringValue)
    let run = await fruit.run("import", other)
    #expect(run.code == .done)
    let short = id.prefix(8)
    #expect(
      run.output.contains(
        "is a session of its own: its records differ from those of \(short) from position 1 on. If it is the same conversation, take it --into \(short)."
      ), "\(run.output)")
    let again = try await fruit.run("import", "--json", other).json()["sessions"]?[0]
    #expect(again?["new"]?.boolValue == false)
    #expect(again?["parting"]?.isNull == true)

    let into = await fruit.run("import", "--into", String(short), other)
    #expect(into.code == .done, "\(into.error)")
    #expect(into.output.contains("1 added, 1 revised"))
    #expect(!into.output.contains("of its own"))
    #expect(await fruit.run("show", id).output.contains("Wheat."))
    let third = try Self.chat(fruit.folder, "c.json", "Bread?", "Oats.")
    let parting = try await fruit.run("import", "--json", third).json()["sessions"]?[0]?["parting"]
    #expect(parting?.names == ["session", "position"])
    #expect(parting?["position"]?.intValue == 1)
    // Several have its ids: none of them is named.
    let fourth = try Self.chat(fruit.folder, "d.json", "Cake?", "Yes.")
    #expect(!(await fruit.run("import", fourth).output.contains("of its own")))
  }

  @Test func `what calls made is taken in from the folders that are named, and said`() async throws
  {
    let fruit = try await FruitStore()
    let made = fruit.folder.path("made.txt")
    try Data("hello".utf8).write(to: URL(filePath: made))
    let file = fruit.folder.path("talk.jsonl")
    let lines = [
      #"{"parentUuid":null,"sessionId":"s-1","type":"user","uuid":"u-1","message":{"role":"user","content":"Write it"}}"#,
      #"{"parentUuid":"u-1","sessionId":"s-1","type":"assistant","uuid":"a-1","message":{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"Write","input":{"file_path":"\#(made)","content":"hello"}}]}}"#,
      #"{"parentUuid":"a-1","sessionId":"s-1","type":"user","uuid":"u-2","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"ok"}]}}"#,
    ]
    try Data(lines.map { "\($0)\n" }.joined().utf8).write(to: URL(filePath: file))
    let folder = fruit.folder.path("")
    let taken = await fruit.run("import", file, "--take-files", folder)
    #expect(taken.code == .done, "\(taken.error)")
    #expect(taken.output.contains("1 file taken in, 0 known; 0 gone, 0 changed since."))
    #expect(taken.output.contains("Write    inferred"))
    let again = try await fruit.run("import", file, "--take-files", folder, "--json").json()
    #expect(again["files"]?["known"]?.intValue == 1)
    #expect(again["files"]?["taken"]?.arrayValue?.isEmpty == true)
    // A link is not followed, which is told as what failed.
    try FileManager.default.removeItem(atPath: made)
    try FileManager.default.createSymbolicLink(atPath: made, withDestinationPath: "/etc/passwd")
    let linked = await fruit.run("import", file, "--take-files", folder)
    #expect(linked.error.hasPrefix("skipped  "), "\(linked.error)")
    #expect(linked.error.contains(made), "\(linked.error)")
    #expect(!linked.output.contains("skipped  "), "\(linked.output)")
    let none = await fruit.run("import", file, "--take-files", fruit.folder.path("nowhere"))
    #expect(none.code != .done)
    #expect(none.error.contains("nowhere"))
  }

  @Test func `--into takes one file into a session that is there, and says where they part ways`()
    async throws
  {
    let fruit = try await FruitStore()
    let file = try Self.chat(fruit.folder, "a.json", "Bread?", "Rye.")
    let refused = await fruit.run("import", "--into", "last", file)
    #expect(refused.code == .failed)
    #expect(refused.error.contains("part ways at position 0"), "\(refused.error)")
    #expect(refused.error.contains("nothing was changed"))
    #expect(await fruit.run("import", "--into", "last", file, file).code == .usage)
    let folder = await fruit.run("import", "--into", "last", fruit.folder.url.path)
    #expect(folder.code == .failed)
    #expect(folder.error.contains("Name one file"))
    #expect(await fruit.run("import", "--into", "ffffffff", file).code == .failed)
    let nowhere = await CommandRun(
      "--store", fruit.folder.path("None.keepsake"), "import", "--into", "last", file)
    #expect(nowhere.code != .done)
    #expect(!FileManager.default.fileExists(atPath: fruit.folder.path("None.keepsake")))
    let new = await fruit.run("new").output.trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(await fruit.run("import", "--into", new, file).output.contains("2 added"))
    #expect(await fruit.run("ls").output.contains("Bread?"))
  }

  @Test func `standard input is taken as a file is`() async throws {
    let fruit = try await FruitStore()
    let text = try String(contentsOfFile: Fixtures.path("apple/os27.json"), encoding: .utf8)
    let run = await fruit.run("import", "-", "--json", input: text)
    #expect(run.code == .done, "\(run.error)")
    #expect(try run.json()["sessions"]?[0]?["new"]?.boolValue == true)
    let nothing = await fruit.run("import", "-")
    #expect(nothing.code == .failed)
    #expect(nothing.error.contains("it is empty"))
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
    #expect(run.error.contains("its content is of no format that is known here"))
    #expect(run.error.hasPrefix("skipped  "), "\(run.error)")
    #expect(!run.output.contains("skipped  "), "\(run.output)")
    #expect(!run.output.contains("\u{1B}"))
    #expect(!run.error.contains("\u{1B}"))
    #expect(await fruit.run("import", "--strict", folder.url.path).code == .failed)
    let skipped = try await fruit.run("import", "--json", folder.url.path).json()["skipped"]?[0]
    #expect(skipped?.names == ["path", "line", "reason", "kept"])
  }

  @Test func `a file that was named and can't be taken over fails, and the others are taken`()
    async throws
  {
    let fruit = try await FruitStore()
    let export = fruit.folder.path("conversations.json")
    try Data(#"[{"title":"t","mapping":{"a":{}},"current_node":"a"}]"#.utf8)
      .write(to: URL(filePath: export))
    let run = await fruit.run(
      "import", "/nowhere", export, Fixtures.path("anylanguagemodel/all.json"))
    #expect(run.code == .failed)
    #expect(run.error.contains("/nowhere"))
    #expect(run.error.contains("There is no conversation in it"))
    #expect(!run.output.contains("/nowhere"), "\(run.output)")
    #expect(run.output.contains("1 session, 1 new"))
  }

  @Test func `what is skipped is named as it was given, and its name is said once`() async throws {
    let fruit = try await FruitStore()
    // From where the tests run, to where files may be left if they are ended.
    let depth = FileManager.default.currentDirectoryPath.split(separator: "/").count
    let file = fruit.folder.path("skipped.txt")
    let name = String(repeating: "../", count: depth) + file.dropFirst()
    try Data("dear diary".utf8).write(to: URL(filePath: file))
    for path in [name, "/nowhere", fruit.folder.path("none")] {
      let run = await fruit.run("import", path)
      let line = try #require(run.error.split(separator: "\n").first)
      #expect(line.components(separatedBy: path).count == 2, "\(line)")
      #expect(line.contains("'\(path)'"), "\(line)")
      let skipped = try await fruit.run("import", "--json", path).json()["skipped"]?[0]
      #expect(skipped?["path"]?.stringValue == path)
    }
    let input = await fruit.run("import", "-", input: "dear diary")
    #expect(input.error.contains("'standard input'"))
    #expect(!input.error.contains("keepsake-input"))
  }

  @Test func `a record that was not taken over as it should is named with its file and line`()
    async throws
  {
    let fruit = try await FruitStore()
    let path = fruit.folder.path("chat.json")
    let text = try String(contentsOfFile: Fixtures.path("apple/os26.json"), encoding: .utf8)
    let odd = text.replacing(#""role":"user""#, with: #""role":"poet""#)
      .replacing(#""role" : "user""#, with: #""role" : "poet""#)
    try Data(odd.utf8).write(to: URL(filePath: path))
    let run = await fruit.run("import", "--json", path)
    for skipped in try run.json()["skipped"]?.arrayValue ?? [] {
      #expect(skipped["path"]?.stringValue == path)
      #expect(skipped["line"]?.intValue ?? 0 > 0)
    }
  }

  @Test func `progress says how far it is, how fast, and how long it may take`() async throws {
    #expect(
      ImportMeter.text(file: nil, read: 0, of: 100, after: .zero, name: "a.json") == "0 %  a.json")
    #expect(
      ImportMeter.text(
        file: (3, 12), read: 25_000_000, of: 100_000_000, after: .seconds(5), name: "a.json")
        == "3 of 12  25 %  5.0 MB/s  15 s left  a.json")
    #expect(
      ImportMeter.text(file: nil, read: 0, of: 0, after: .seconds(5), name: "standard input")
        == "standard input")
    #expect(Words.duration(0.2) == "1 s")
    #expect(Words.duration(170) == "3 min")
    #expect(Words.duration(90_000) == "25 h")
  }

  @Test func `progress is shown to a person who waits, taken away at the end, and quiet elsewhere`()
    async throws
  {
    let fruit = try await FruitStore()
    let said = Locked("")
    let terminal = Terminal(
      width: 60, showsProgress: true, output: { _ in },
      error: { text in said.withLock { $0 += text } })
    let program = Program(terminal: terminal, environment: ["KEEPSAKE_STORE": fruit.path])
    #expect(await program.run(["import", Fixtures.path("apple")]) == .done)
    let shown = said.withLock { $0 }
    #expect(shown.contains(" %  "))
    #expect(shown.hasSuffix("\r\u{1B}[K"))
    let quiet = await fruit.run("import", Fixtures.path("apple"))
    #expect(quiet.error.isEmpty)
  }
}
