import Foundation
import Keepsake
import KeepsakeTestSupport
import Testing

@testable import KeepsakeCommand

@Suite("keepsake export --install")
struct InstallTests {
  /// A home folder, and a store in it.
  private struct Home {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func run(_ arguments: String...) async -> CommandRun {
      await CommandRun(
        list: arguments,
        environment: [
          "HOME": folder.url.path, "KEEPSAKE_STORE": folder.path("Chats.keepsake"),
        ])
    }

    func write(_ text: String, to path: String) throws {
      let url = folder.url.appending(path: path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }

    /// All files below the agents' folders, by their paths.
    func files() throws -> [String: Data] {
      var files: [String: Data] = [:]
      for place in [".claude", ".codex", ".gemini"] {
        let root = folder.url.appending(path: place)
        for path in FileManager.default.enumerator(atPath: root.path) ?? .init() {
          guard let path = path as? String, path.hasSuffix(".jsonl") else { continue }
          files["\(place)/\(path)"] = try Data(contentsOf: root.appending(path: path))
        }
      }
      return files
    }
  }

  private static let id = "11111111-2222-4333-8444-555555555555"
  private static let claude =
    #"{"parentUuid":null,"isSidechain":false,"cwd":"/home/alice/my fruit_ü","sessionId":"\#(id)","type":"user","uuid":"u-1","timestamp":"2026-11-20T10:00:00.000Z","message":{"role":"user","content":"a banana"}}"#
    + "\n"
  private static let agent =
    #"{"parentUuid":null,"isSidechain":true,"agentId":"a1","cwd":"/home/alice/my fruit_ü","sessionId":"\#(id)","type":"user","uuid":"u-9","message":{"role":"user","content":"look"}}"#
    + "\n"
  private static let codex =
    #"{"timestamp":"2026-11-20T10:00:00.000Z","type":"session_meta","payload":{"id":"\#(id)","timestamp":"2026-11-20T10:00:00.000Z","cwd":"/home/alice/fruit"}}"#
    + "\n"
    + #"{"timestamp":"2026-11-20T10:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"a cup"}]}}"#
    + "\n"
  private static let gemini =
    #"{"sessionId":"\#(id)","projectHash":"743e","startTime":"2026-11-20T10:00:00.000Z","lastUpdated":"2026-11-20T10:00:00.000Z","kind":"main"}"#
    + "\n"
    + #"{"id":"m-1","timestamp":"2026-11-20T10:00:00.000Z","type":"user","content":"a pear"}"#
    + "\n"

  @Test func `what agents kept is there again, byte for byte, after they deleted it`() async throws
  {
    let home = try Home()
    let projects = ".claude/projects/-home-alice-my-fruit--"
    try home.write(Self.claude, to: "\(projects)/\(Self.id).jsonl")
    try home.write(Self.agent, to: "\(projects)/\(Self.id)/subagents/agent-a1.jsonl")
    let time = CodexTime.local("2026-11-20T10:00:00Z")
    try home.write(
      Self.codex, to: ".codex/sessions/\(time.day)/rollout-\(time.name)-\(Self.id).jsonl")
    try home.write(
      Self.gemini, to: ".gemini/tmp/743e/chats/session-2026-11-20T10-00-11111111.jsonl")
    let before = try home.files()
    #expect(before.count == 4)
    #expect(await home.run("import", "--yes").code == .done)
    for place in [".claude", ".codex", ".gemini"] {
      try FileManager.default.removeItem(at: home.folder.url.appending(path: place))
    }
    let sessions = try #require(try await home.run("ls", "--json").json().arrayValue)
    for session in sessions {
      let id = try #require(session["id"]?.stringValue)
      let format = try #require(session["origin"]?.stringValue)
      let run = await home.run("export", id, "--format", format, "--install")
      #expect(run.code == .done, "\(run.error)")
      // What an agent has is never replaced.
      let again = await home.run("export", id, "--format", format, "--install")
      #expect(again.code == .failed)
      #expect(again.error.contains("is there already"), "\(again.error)")
    }
    #expect(try home.files() == before)
  }

  @Test func `a session from elsewhere goes to where each agent lists it`() async throws {
    let home = try Home()
    #expect(await home.run("new", "Fruit", "--read-only").code != .done)
    let id = String(
      await home.run("new", "Fruit").output.trimmingCharacters(in: .whitespacesAndNewlines))
    #expect(await home.run("append", id, "--kind", "prompt", "a banana").code == .done)
    #expect(await home.run("append", id, "--kind", "response", "here").code == .done)
    let full = try #require(try await home.run("ls", "--json").json()[0]?["id"]?.stringValue)
    let claude = await home.run(
      "export", "last", "--format", "claude-code", "--install", "--folder", "/home/alice/a b")
    #expect(claude.output == "claude --resume \(full)\n", "\(claude.error)")
    #expect(claude.error.contains("/.claude/projects/-home-alice-a-b/\(full).jsonl"))
    let codex = await home.run("export", "last", "--format", "codex", "--install")
    #expect(codex.output == "codex resume \(full)\n", "\(codex.error)")
    let gemini = await home.run("export", "last", "--format", "gemini-cli", "--install")
    #expect(gemini.output == "gemini --resume \(full)\n", "\(gemini.error)")
    #expect(try home.files().count == 3)
    // What was handed over is taken in again as what it is.
    let back = await home.run("import", "--yes")
    #expect(back.output.contains("3 sessions, 3 new"), "\(back.output) \(back.error)")
  }

  @Test func `says what does not go together`() async throws {
    let home = try Home()
    #expect(await home.run("new", "Fruit").code == .done)
    for (arguments, says) in [
      (["--format", "apple", "--install"], "No agent keeps sessions as 'apple'"),
      (["--folder", "/home"], "No agent keeps sessions as 'json'"),
      (["--format", "codex", "--install", "-o", "x"], "Give one of them"),
    ] {
      let run = await CommandRun(
        list: ["export", "last"] + arguments,
        environment: ["KEEPSAKE_STORE": home.folder.path("Chats.keepsake")])
      #expect(run.code == .usage)
      #expect(run.error.contains(says), "\(run.error)")
    }
    let homeless = await CommandRun(
      list: ["export", "last", "--format", "codex", "--install"],
      environment: ["KEEPSAKE_STORE": home.folder.path("Chats.keepsake")])
    #expect(homeless.error.contains("HOME is not set"))
  }
}

/// How Codex spells a time in names.
private enum CodexTime {
  static func local(_ text: String) -> (day: String, name: String) {
    let date = (try? Date(text, strategy: .iso8601)) ?? Date()
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateFormat = "yyyy/MM/dd"
    let day = formatter.string(from: date)
    formatter.dateFormat = "yyyy-MM-dd'T'HH-mm-ss"
    return (day, formatter.string(from: date))
  }
}
