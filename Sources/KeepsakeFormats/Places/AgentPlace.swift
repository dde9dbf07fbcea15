/// Where a program keeps its conversations on this machine.
package struct AgentPlace: Sendable, Hashable {
  /// As a person calls the program.
  package let program: String
  /// The folder that its files lie in and below.
  package let folder: String
  /// What the names of its files end with.
  package let fileExtension: String

  /// The places of all programs whose files are read here, whether or not there is anything.
  ///
  /// Each program can be told to keep them elsewhere, by a variable of the environment.
  package static func all(home: String, environment: [String: String]) -> [AgentPlace] {
    func folder(_ variable: String, _ usual: String) -> String {
      if let moved = environment[variable], moved.hasPrefix("/") { return moved }
      return "\(home)/\(usual)"
    }
    return [
      .init(
        program: "Claude Code", folder: folder("CLAUDE_CONFIG_DIR", ".claude") + "/projects",
        fileExtension: ".jsonl"),
      .init(
        program: "Codex", folder: folder("CODEX_HOME", ".codex") + "/sessions",
        fileExtension: ".jsonl"),
      .init(
        program: "Codex, archived", folder: folder("CODEX_HOME", ".codex") + "/archived_sessions",
        fileExtension: ".jsonl"),
    ]
  }
}
