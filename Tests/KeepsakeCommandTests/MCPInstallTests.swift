import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

/// `keepsake mcp --install`, on a home of a test's own.
@Suite("keepsake mcp --install")
struct MCPInstallTests {
  private let folder: TemporaryFolder
  private var home: String { folder.path("home") }

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("home"), withIntermediateDirectories: true)
  }

  private func run(_ arguments: String..., input: String = "", canAsk: Bool = false) async
    -> CommandRun
  {
    await CommandRun(
      list: ["mcp"] + arguments, input: input,
      environment: ["HOME": home, "KEEPSAKE_STORE": folder.path("Chats.keepsake")], canAsk: canAsk)
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: "\(home)/\(name)", encoding: .utf8)
  }

  private func write(_ text: String, to name: String) throws {
    let file = URL(filePath: "\(home)/\(name)")
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  @Test func `every client gets an entry that starts this program, and loses it again`()
    async throws
  {
    for client in ClientProgram.allCases {
      let path = try client.settings(["HOME": home])
      let installed = await run("--install", client.rawValue, "--yes")
      #expect(installed.code == .done, "\(client) \(installed.error)")
      #expect(installed.output.contains("+ ") && installed.output.contains(client.name))
      let written = try String(contentsOfFile: path, encoding: .utf8)
      #expect(written.contains("Chats.keepsake") && written.contains("\"mcp\""))
      if case .json(let group) = client.form {
        let entry = try JSON(validating: written)[group]?["keepsake"]
        #expect(entry?["args"]?[1]?.stringValue == folder.path("Chats.keepsake"))
        #expect(entry?["command"]?.stringValue?.hasPrefix("/") == true)
      }
      let again = await run("--install", client.rawValue, "--yes")
      #expect(again.output.contains("already"))
      let removed = await run("--uninstall", client.rawValue, "--yes")
      #expect(removed.code == .done && removed.output.contains("- "))
      #expect(try !String(contentsOfFile: path, encoding: .utf8).contains("keepsake"))
      let none = await run("--uninstall", client.rawValue)
      #expect(none.code == .done && none.output.contains("nothing to take away"))
    }
  }

  @Test func `what was there is shown, kept beside, and stays around the entry`() async throws {
    let before = "{\"secret\": \"s\",  \"mcpServers\": {\"keepsake\": {\"command\": \"/old\"}}}\n"
    try write(before, to: ".claude.json")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: "\(home)/.claude.json")
    let installed = await run("--install", "claude-code", "--allow-writes", "--yes")
    #expect(installed.code == .done)
    #expect(installed.output.contains("- {\"command\": \"/old\"}"))
    #expect(try text(".claude.json.before-keepsake") == before)
    let after = try text(".claude.json")
    #expect(after.hasPrefix("{\"secret\": \"s\",  \"mcpServers\": {\"keepsake\": {"))
    #expect(after.contains("--allow-writes"))
    for name in [".claude.json", ".claude.json.before-keepsake"] {
      let mode = try FileManager.default.attributesOfItem(atPath: "\(home)/\(name)")[
        .posixPermissions]
      #expect(mode as? Int == 0o600)
    }
    _ = await run("--install", "claude-code", "--yes")
    #expect(try text(".claude.json.before-keepsake-2") == after)
  }

  @Test func `nothing is written unless a person agrees`() async throws {
    let piped = await run("--install", "cursor")
    #expect(piped.code == .failed && piped.error.contains("--yes"))
    let refused = await run("--install", "cursor", input: "n\n", canAsk: true)
    #expect(refused.code == .failed)
    #expect(!FileManager.default.fileExists(atPath: "\(home)/.cursor/mcp.json"))
    let agreed = await run("--install", "cursor", input: "y\n", canAsk: true)
    #expect(agreed.code == .done)
    #expect(FileManager.default.fileExists(atPath: "\(home)/.cursor/mcp.json"))
  }

  @Test func `settings that a program can't change are left as they are`() async throws {
    let commented = "{\n  // mine\n  \"servers\": {}\n}\n"
    try write(commented, to: ".config/Code/User/mcp.json")
    let run = await run("--install", "vscode", "--yes")
    #expect(run.code == .failed && run.error.contains("by hand"))
    #expect(try text(".config/Code/User/mcp.json") == commented)
  }

  @Test func `a link is followed to the file that a person keeps elsewhere`() async throws {
    try write("{}\n", to: "dotfiles/mcp.json")
    try FileManager.default.createDirectory(
      atPath: "\(home)/.cursor", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: "\(home)/.cursor/mcp.json", withDestinationPath: "\(home)/dotfiles/mcp.json")
    #expect(await run("--install", "cursor", "--yes").code == .done)
    #expect(try text("dotfiles/mcp.json").contains("keepsake"))
    #expect(
      (try FileManager.default.attributesOfItem(atPath: "\(home)/.cursor/mcp.json")[.type]
        as? FileAttributeType) == .typeSymbolicLink)
  }

  @Test func `options that don't go together are refused`() async throws {
    #expect(await run("--install", "codex", "--uninstall", "codex").code == .usage)
    #expect(await run("--files-from", home).code == .usage)
    #expect(await run("--install", "emacs").code == .usage)
  }

  @Test func `over plain streams it answers as over its own`() async throws {
    let store = try await FruitStore()
    let line =
      #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#
    let run = await store.run("mcp", input: line + "\n")
    #expect(run.code == .done)
    #expect(try run.json()["result"]?["serverInfo"]?["name"] == "keepsake")
  }
}
