#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The programs whose settings `keepsake mcp --install` knows.
enum ClientProgram: String, CaseIterable, Sendable {
  case claudeCode = "claude-code"
  case claudeDesktop = "claude-desktop"
  case codex
  case copilot = "copilot-cli"
  case cursor
  case geminiCLI = "gemini-cli"
  case vsCode = "vscode"
  case windsurf

  /// The name for people.
  var name: String {
    switch self {
    case .claudeCode: "Claude Code"
    case .claudeDesktop: "Claude Desktop"
    case .codex: "Codex"
    case .copilot: "Copilot CLI"
    case .cursor: "Cursor"
    case .geminiCLI: "Gemini CLI"
    case .vsCode: "VS Code"
    case .windsurf: "Windsurf"
    }
  }

  /// The forms of settings.
  enum Form: Sendable {
    /// JSON with an object of servers under a name.
    case json(String)
    /// TOML with a table for each server.
    case toml
  }

  var form: Form {
    switch self {
    case .codex: .toml
    case .vsCode: .json("servers")
    default: .json("mcpServers")
    }
  }

  /// The members of an entry beside the command and its arguments.
  var marks: [(name: String, value: String)] {
    switch self {
    case .claudeCode, .vsCode: [("type", "\"stdio\"")]
    case .copilot: [("type", "\"local\""), ("tools", "[\"*\"]")]
    default: []
    }
  }

  /// The path of the settings that count for all projects of a person.
  func settings(_ environment: [String: String]) throws -> String {
    func folder(_ name: String) -> String? {
      environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    guard let home = folder("HOME") else {
      throw CommandError(message: "Can't tell where settings belong: HOME is not set.")
    }
    #if os(macOS)
      let config = "\(home)/Library/Application Support"
    #else
      let config = folder("XDG_CONFIG_HOME") ?? "\(home)/.config"
    #endif
    return switch self {
    case .claudeCode: "\(folder("CLAUDE_CONFIG_DIR") ?? home)/.claude.json"
    case .claudeDesktop: "\(config)/Claude/claude_desktop_config.json"
    case .codex: "\(folder("CODEX_HOME") ?? "\(home)/.codex")/config.toml"
    case .copilot: "\(home)/.copilot/mcp-config.json"
    case .cursor: "\(home)/.cursor/mcp.json"
    case .geminiCLI: "\(folder("GEMINI_CLI_HOME") ?? home)/.gemini/settings.json"
    case .vsCode: "\(config)/Code/User/mcp.json"
    case .windsurf: "\(home)/.codeium/windsurf/mcp_config.json"
    }
  }
}
