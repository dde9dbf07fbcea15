/// The folder in which a program keeps its conversations on this machine.
package struct AgentPlace: Sendable, Hashable {
  /// The program's name for a person.
  package let program: String
  /// The folder that holds the program's files, directly or in folders below.
  package let folder: String
  /// The possible endings of the names of the program's files.
  package let endings: [String]

  package init(program: String, folder: String, endings: [String]) {
    self.program = program
    self.folder = folder
    self.endings = endings
  }

  /// The places of all programs whose files can be imported, whether or not they exist.
  ///
  /// An environment variable can move each program's folder.
  /// - Parameters:
  ///   - home: The person's home folder.
  ///   - environment: The environment with such variables.
  package static func all(home: String, environment: [String: String]) -> [AgentPlace] {
    func folder(_ variable: String, else usual: String) -> String {
      if let moved = environment[variable], moved.hasPrefix("/") { return moved }
      return usual
    }
    let codex = folder("CODEX_HOME", else: "\(home)/.codex")
    let claude = folder("CLAUDE_CONFIG_DIR", else: "\(home)/.claude")
    // Codex compresses old rollouts.
    let rollouts = [".jsonl", ".jsonl.zst"]
    // The variable names the folder that holds `.gemini`, and not `.gemini` itself.
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

  /// The usual folder of llm's database, which is the system's folder for the settings of programs.
  private static func llmFolder(home: String, environment: [String: String]) -> String {
    #if os(macOS)
      return "\(home)/Library/Application Support/io.datasette.llm"
    #else
      let usual = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      return "\(usual ?? "\(home)/.config")/io.datasette.llm"
    #endif
  }
}
