import Foundation
import KeepsakeTestSupport
import Testing

@testable import KeepsakeCommand

@Suite("keepsake rescue")
struct RescueCommandTests {
  /// A session of Claude Code that a person has, and the folder that it lies in.
  private struct Case {
    let folder: TemporaryFolder
    static let id = "11111111-2222-4333-8444-555555555555"
    var file: String { folder.path("\(Self.id).jsonl") }
    var environment: [String: String] {
      ["KEEPSAKE_STORE": folder.path("Chats.keepsake"), "HOME": folder.url.path]
    }

    init(_ lines: [String]) throws {
      folder = try TemporaryFolder()
      try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: file))
    }

    func run(_ arguments: String...) async -> CommandRun {
      await CommandRun(list: ["rescue"] + arguments, environment: environment)
    }

    func other(_ arguments: String...) async -> CommandRun {
      await CommandRun(list: arguments, environment: environment)
    }

    /// The sessions that lie in the folder, but for the one that it began with.
    func healed() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter {
        $0.hasSuffix(".jsonl") && !$0.hasPrefix(Self.id)
      }
    }
  }

  private static func line(_ number: Int, _ type: String, _ message: String) -> String {
    let parent = number == 1 ? "null" : "\"u-\(number - 1)\""
    return
      #"{"parentUuid":\#(parent),"isSidechain":false,"cwd":"/home/alice/fruit","sessionId":"\#(Case.id)","version":"2.1.5","type":"\#(type)","uuid":"u-\#(number)","timestamp":"2026-11-20T10:00:00.000Z","message":\#(message)}"#
  }

  /// A call whose result is a web page that was saved as an image, and one that has no result.
  private static let broken = [
    line(1, "user", #"{"role":"user","content":"Show me a banana."}"#),
    line(
      2, "assistant",
      #"{"id":"m-1","role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"Fetch","input":{}}]}"#
    ),
    line(
      3, "user",
      #"{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"\#(Data("<!DOCTYPE html><html><body>Not found</body></html>".utf8).base64EncodedString())"}}]}]}"#
    ),
    line(
      4, "assistant",
      #"{"id":"m-2","role":"assistant","content":[{"type":"tool_use","id":"toolu_2","name":"Bash","input":{}}]}"#
    ),
  ]

  @Test func `says what is wrong, by line and rule, and what heals it`() async throws {
    let broken = try Case(Self.broken)
    let run = await broken.run(broken.file)
    #expect(run.code == .damaged, "\(run.error)")
    #expect(run.output.contains("image that can't be read  LABEL"), "\(run.output)")
    #expect(run.output.contains("line 3: HTML, not an image, 50 B"), "\(run.output)")
    #expect(run.output.contains("call without a result  ANSWER"), "\(run.output)")
    #expect(run.output.contains("  The next message answers every tool call."))
    #expect(run.output.contains("Claude Code 2.1.218 heals all of this by itself"))
    #expect(run.output.contains("keepsake rescue \(broken.file) --install"))
    #expect(try broken.healed().isEmpty)
    // Looking at it makes no store.
    #expect(!FileManager.default.fileExists(atPath: broken.folder.path("Chats.keepsake")))
  }

  @Test func `writes a healed copy beside it, with all that the old one has beside it`()
    async throws
  {
    let broken = try Case(Self.broken)
    let side = broken.folder.url.appending(path: "\(Case.id)/tool-results")
    try FileManager.default.createDirectory(at: side, withIntermediateDirectories: true)
    try Data("long".utf8).write(to: side.appending(path: "1.txt"))
    let before = try Data(contentsOf: URL(filePath: broken.file))
    let run = await broken.run(broken.file, "-o", broken.folder.url.path)
    #expect(run.code == .done, "\(run.error)")
    #expect(try Data(contentsOf: URL(filePath: broken.file)) == before)
    let name = try #require(try broken.healed().first)
    let id = String(name.dropLast(6))
    #expect(UUID(uuidString: id) != nil && id == id.lowercased())
    #expect(run.output.contains("In /home/alice/fruit: claude --resume \(id)"), "\(run.output)")
    let path = broken.folder.path(name)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let copied = broken.folder.url.appending(path: "\(id)/tool-results/1.txt")
    #expect(try Data(contentsOf: copied) == Data("long".utf8))
    // What became a label is kept, under the name that the label says.
    let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
    let digest = try #require(text.firstMatch(of: /kept as sha256:([0-9a-f]{64})/)?.1)
    let kept = await broken.other("get", String(digest))
    #expect(String(decoding: kept.bytes, as: UTF8.self).contains("Not found"), "\(kept.error)")
    // There is nothing left to heal, and so nothing is written.
    let again = await broken.run(path, "-o", broken.folder.url.path)
    #expect(again.code == .done)
    #expect(again.output.contains("Nothing keeps it from going on"), "\(again.output)")
    #expect(try broken.healed().count == 1)
  }

  @Test func `takes a session of the store, and a name that the agent finds`() async throws {
    let broken = try Case(Self.broken)
    #expect(await broken.other("import", broken.file).code == .done)
    let named = broken.folder.path("99999999-2222-4333-8444-555555555555.jsonl")
    let dry = await broken.run("last", "-o", named, "--dry-run")
    #expect(dry.code == .done, "\(dry.error)")
    #expect(dry.output.contains("Would write \(named), with 2 changes."), "\(dry.output)")
    #expect(try broken.healed().isEmpty)
    let run = await broken.run("last", "-o", named)
    #expect(run.code == .done, "\(run.error)")
    #expect(try broken.healed().count == 1)
    let again = await broken.run("last", "-o", named)
    #expect(again.code == .failed)
    #expect(again.error.contains("is there already"), "\(again.error)")
    let nameless = await broken.run("last", "-o", broken.folder.path("healed.jsonl"))
    #expect(nameless.error.contains("would not find 'healed.jsonl'"), "\(nameless.error)")
  }

  @Test func `puts the copy where the agent looks for it`() async throws {
    let broken = try Case(Self.broken)
    let run = await broken.run(broken.file, "--install")
    #expect(run.code == .done, "\(run.error)")
    let project = broken.folder.path(".claude/projects/-home-alice-fruit")
    let name = try #require(FileManager.default.contentsOfDirectory(atPath: project).first)
    #expect(run.output.contains("claude --resume \(name.dropLast(6))"), "\(run.output)")
    #expect(await broken.run("\(project)/\(name)").code == .done)
    let both = await broken.run(broken.file, "--install", "-o", broken.folder.url.path)
    #expect(both.code == .usage)
  }

  @Test func `heals and keeps what nothing shows to be a session any more`() async throws {
    let headless = try Case([
      #"{"sessionId":"s-1","proj"#,
      #"{"id":"m-1","timestamp":"2026-11-20T10:00:00.000Z","type":"user","content":"a banana"}"#,
    ])
    let run = await headless.run(
      headless.file, "--folder", "/home/alice/fruit", "-o", headless.folder.url.path)
    #expect(run.code == .done, "\(run.error)")
    #expect(run.output.contains("Gemini CLI"), "\(run.output)")
    #expect(await headless.other("search", "banana").output.contains("banana"))
  }

  @Test func `says what it can't do`() async throws {
    let broken = try Case(Self.broken)
    let unknown = broken.folder.path("notes.txt")
    try Data("notes".utf8).write(to: URL(filePath: unknown))
    #expect(await broken.run(unknown).error.contains("of no known format"))
    let other = broken.folder.path("chat.json")
    try Data(#"{"messages":[{"role":"user","content":"hi"}],"model":"gpt-x"}"#.utf8)
      .write(to: URL(filePath: other))
    #expect(
      await broken.run(other).error.contains("Sessions of Claude Code, Codex and Gemini CLI can be")
    )
    #expect(await broken.other("import", other).code == .done)
    #expect(await broken.run("last").error.contains("was not imported from a program"))
    #expect(await broken.run(broken.folder.path("none.jsonl")).error.contains("none.jsonl"))
    for limit in ["images", "images=x", "images=0", "fruit=3"] {
      let run = await broken.run(broken.file, "--limit", limit)
      #expect(run.code == .usage)
      #expect(run.error.contains("'--limit' takes NAME=N"), "\(run.error)")
    }
    let narrow = await broken.run(
      broken.file, "--limit", "request-bytes=10", "-o", broken.folder.url.path, "--dry-run")
    #expect(narrow.code == .damaged)
    #expect(narrow.output.contains("can't be healed"), "\(narrow.output)")
  }

  @Test func `goes by what the person knows: the folder and the thinking`() async throws {
    let sound = try Case([
      Self.line(1, "user", #"{"role":"user","content":"Hello."}"#),
      Self.line(
        2, "assistant",
        #"{"id":"m-1","role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":"c2ln"},{"type":"text","text":"Hello."}]}"#
      ),
    ])
    #expect(await sound.run(sound.file).code == .done)
    let run = await sound.run(
      sound.file, "--strip-thinking", "--folder", "/home/alice/orchard", "-o", sound.folder.url.path
    )
    #expect(run.code == .done, "\(run.error)")
    let name = try #require(try sound.healed().first)
    let text = try String(contentsOf: URL(filePath: sound.folder.path(name)), encoding: .utf8)
    #expect(!text.contains("thinking") && !text.contains("fruit"))
    #expect(text.contains(#""cwd":"/home/alice/orchard""#))
  }
}
