/// Where a program keeps its conversations on this machine.
package struct AgentPlace: Sendable, Hashable {
  /// As a person calls the program.
  package let program: String
  /// The folder that its files lie in and below.
  package let folder: String
  /// What the names of its files end with: one of these.
  package let endings: [String]

  package init(program: String, folder: String, endings: [String]) {
    self.program = program
    self.folder = folder
    self.endings = endings
  }

  /// The places of all programs whose files are read here, whether or not there is anything.
  ///
  /// Each program can be told to keep them elsewhere, by a variable of the environment.
  package static func all(home: String, environment: [String: String]) -> [AgentPlace] {
    func folder(_ variable: String, else usual: String) -> String {
      if let moved = environment[variable], moved.hasPrefix("/") { return moved }
      return usual
    }
    let codex = folder("CODEX_HOME", else: "\(home)/.codex")
    let claude = folder("CLAUDE_CONFIG_DIR", else: "\(home)/.claude")
    // Codex compresses its old rollouts.
    let rollouts = [".jsonl", ".jsonl.zst"]
    // The home that holds the folder, not the folder itself.
    let gemini = folder("GEMINI_CLI_HOME", else: home)
    return [
      .init(program: "Claude Code", folder: "\(claude)/projects", endings: [".jsonl"]),
      .init(program: "Codex", folder: "\(codex)/sessions", endings: rollouts),
      .init(
        program: "Codex, archived", folder: "\(codex)/archived_sessions", endings: rollouts),
      .init(program: "Gemini CLI", folder: "\(gemini)/.gemini/tmp", endings: [".jsonl"]),
      .init(
        program: "llm",
        folder: folder("LLM_USER_PATH", else: llmFolder(home: home, environment: environment)),
        endings: ["logs.db"]),
    ]
  }

  /// Where llm keeps its database unless it was told otherwise: where the system has the settings of programs.
  private static func llmFolder(home: String, environment: [String: String]) -> String {
    #if os(macOS)
      return "\(home)/Library/Application Support/io.datasette.llm"
    #else
      let usual = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      return "\(usual ?? "\(home)/.config")/io.datasette.llm"
    #endif
  }
}
