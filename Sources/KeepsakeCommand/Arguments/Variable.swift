/// Environment variables with their meaning for commands.
struct Variable: Sendable {
  let names: [String]
  let help: String

  init(_ names: String..., help: String) {
    self.names = names
    self.help = help
  }

  /// The variables that every command reads.
  static let common = [
    Variable("KEEPSAKE_STORE", help: "The store, where --store names none."),
    Variable(
      "XDG_DATA_HOME", "HOME",
      help: "Where your data folder is, which has the store where nothing names one."),
    Variable("NO_COLOR", help: "Where it is set and not empty, nothing is coloured."),
    Variable(
      "TERM", "COLUMNS", "LINES",
      help: "What the terminal can do, and its size where it does not say that itself."),
  ]

  static let paging = Variable(
    "PAGER",
    help: "What shows more than a screen; else less. Where it is empty or 'cat', nothing does.")

  static let images = Variable(
    "TERM_PROGRAM", "LC_TERMINAL", "KITTY_WINDOW_ID", "TMUX", "STY",
    help: "Which terminal it is, and so whether it shows images.")

  static let desktop = Variable(
    "DISPLAY", "WAYLAND_DISPLAY", help: "Whether there is a desktop that opens files.")

  static let clients = [
    Variable(
      "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME",
      help:
        "Where a client's settings are, which --install changes; else the client's own folder in HOME."
    )
  ]

  static let agents = [
    Variable("CLAUDE_CONFIG_DIR", help: "The folder of Claude Code; else ~/.claude."),
    Variable("CODEX_HOME", help: "The folder of Codex; else ~/.codex."),
    Variable("GEMINI_CLI_HOME", help: "The folder that has Gemini CLI's .gemini; else HOME."),
    Variable(
      "LLM_USER_PATH", "XDG_CONFIG_HOME",
      help: "The folder of llm; else io.datasette.llm where programs have their settings."),
  ]

  /// All variables that any command reads.
  static let all = common + [paging, images, desktop] + agents
}
