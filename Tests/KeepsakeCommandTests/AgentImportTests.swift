import Foundation
import KeepsakeFormats
import KeepsakeSQLite
import KeepsakeTestSupport
import Testing

@testable import KeepsakeCommand

@Suite("keepsake import without a path")
struct AgentImportTests {
  /// A home folder in which Claude Code and Codex kept a session each.
  private struct Home {
    let folder: TemporaryFolder
    var store: String { folder.path("Chats.keepsake") }
    var environment: [String: String] { ["HOME": folder.url.path, "KEEPSAKE_STORE": store] }

    static let claude =
      #"{"type":"user","uuid":"u-1","sessionId":"s-1","timestamp":"2026-11-20T10:00:00Z","message":{"role":"user","content":"a banana"}}"#
      + "\n"
    static let codex =
      #"{"timestamp":"2026-11-20T10:00:00Z","type":"session_meta","payload":{"id":"r-1"}}"# + "\n"
      + #"{"timestamp":"2026-11-20T10:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"a cup"}]}}"#
      + "\n"

    init() throws {
      folder = try TemporaryFolder()
      try write(Self.claude, to: ".claude/projects/-home-alice-fruit/s-1.jsonl")
      try write("a long output", to: ".claude/projects/-home-alice-fruit/s-1/tool-results/1.txt")
      try write(Self.codex, to: ".codex/sessions/2026/11/20/rollout-r-1.jsonl")
    }

    func write(_ text: String, to path: String) throws {
      let url = folder.url.appending(path: path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }

    func run(_ arguments: String..., answer: String? = nil) async -> CommandRun {
      await CommandRun(
        list: arguments, input: answer.map { $0 + "\n" } ?? "", environment: environment,
        canAsk: answer != nil)
    }
  }

  @Test func `what agents keep is said, and taken over after a yes`() async throws {
    let home = try Home()
    let refused = await home.run("import", answer: "n")
    #expect(refused.code == .failed)
    #expect(refused.error.contains("Claude Code: 1 file, 1"), "\(refused.error)")
    #expect(refused.error.contains("Codex: 1 file"), "\(refused.error)")
    #expect(!FileManager.default.fileExists(atPath: home.store))

    let taken = await home.run("import", answer: "yes")
    #expect(taken.code == .done, "\(taken.error)")
    #expect(taken.output.contains("2 sessions, 2 new; 2 entries added"), "\(taken.output)")
    #expect(taken.output.contains("0 skipped"), "\(taken.output)")
    let again = await home.run("import", "--yes")
    #expect(again.output.contains("2 sessions, 0 new; 0 entries added"), "\(again.output)")
    #expect(await home.run("ls").output.contains("claude-code"))
    #expect(await home.run("search", "banana").output.contains("a banana"))
  }

  @Test func `rollouts that Codex compressed are taken over`() async throws {
    let home = try Home()
    let path = home.folder.path(".codex/sessions/2026/11/20/rollout-r-2.jsonl.zst")
    let rollout = Home.codex.replacing("r-1", with: "r-2").replacing("a cup", with: "a lemon")
    try Data(Packed.zstd(Array(rollout.utf8))).write(to: URL(filePath: path))
    let run = await home.run("import", "--yes")
    #expect(run.code == .done)
    #expect(run.output.contains("3 sessions, 3 new"), "\(run.output)")
    #expect(await home.run("search", "lemon").output.contains("a lemon"))
    let again = await home.run("import", "--yes")
    #expect(again.output.contains("3 sessions, 0 new; 0 entries added"), "\(again.output)")
  }

  @Test func `the log database of llm is found, and each conversation taken over`() async throws {
    let home = try Home()
    try home.write("", to: "moved/keys.json")
    let db = try Connection(path: home.folder.path("moved/logs.db"), access: .create)
    try db.execute(
      """
      CREATE TABLE _llm_migrations (name TEXT);
      CREATE TABLE conversations (id TEXT PRIMARY KEY, name TEXT, model TEXT);
      CREATE TABLE responses (id TEXT PRIMARY KEY, prompt TEXT, response TEXT, conversation_id TEXT);
      INSERT INTO conversations VALUES ('k-1', 'A banana', 'fruit'), ('k-2', 'A cup', 'fruit');
      INSERT INTO responses VALUES ('r-1', 'a', 'b', 'k-1'), ('r-2', 'c', 'd', 'k-2');
      """)
    db.close()
    var environment = home.environment
    environment["HOME"] = home.folder.path("nobody")
    environment["LLM_USER_PATH"] = home.folder.path("moved")
    let taken = await CommandRun(list: ["import", "--yes"], environment: environment)
    #expect(taken.code == .done, "\(taken.error)")
    #expect(taken.output.contains("2 sessions, 2 new; 4 entries added"), "\(taken.output)")
    #expect(taken.output.contains("A cup"), "\(taken.output)")
    let list = await CommandRun(list: ["ls", "--json"], environment: environment)
    #expect(list.output.contains("A banana"))
    let export = await CommandRun(
      list: ["export", "last", "--format", "llm"], environment: environment)
    #expect(export.code == .usage)
    #expect(export.error.contains("is read here, and not written"), "\(export.error)")
  }

  @Test func `llm keeps its database where the system has settings`() throws {
    let home = "/home/alice"
    let usual = try #require(AgentPlace.all(home: home, environment: [:]).last)
    #if os(macOS)
      #expect(usual.folder == "\(home)/Library/Application Support/io.datasette.llm")
    #else
      #expect(usual.folder == "\(home)/.config/io.datasette.llm")
      let moved = AgentPlace.all(home: home, environment: ["XDG_CONFIG_HOME": "/home/alice/set"])
      #expect(moved.last?.folder == "/home/alice/set/io.datasette.llm")
    #endif
  }

  @Test func `in a pipe nothing is taken over without --yes`() async throws {
    let home = try Home()
    let run = await home.run("import")
    #expect(run.code == .failed)
    #expect(run.error.contains("Say --yes"), "\(run.error)")
    #expect(run.error.contains("Claude Code: 1 file"), "\(run.error)")
    #expect(!FileManager.default.fileExists(atPath: home.store))
  }

  @Test func `programs that were told to keep them elsewhere are found there`() async throws {
    let home = try Home()
    try home.write(Home.codex.replacing("r-1", with: "r-2"), to: "moved/sessions/r.jsonl")
    var environment = home.environment
    environment["CODEX_HOME"] = home.folder.path("moved")
    let run = await CommandRun(list: ["import"], environment: environment)
    #expect(run.error.contains(home.folder.path("moved/sessions")), "\(run.error)")
    environment["HOME"] = home.folder.path("nobody")
    environment["CODEX_HOME"] = nil
    let nothing = await CommandRun(list: ["import", "--yes"], environment: environment)
    #expect(nothing.code == .failed)
    #expect(nothing.error.contains("Found no sessions"), "\(nothing.error)")
    environment["HOME"] = nil
    #expect(await CommandRun(list: ["import"], environment: environment).error.contains("HOME"))
  }
}
