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
    Variable("KEEPSAKE_STORE", help: "The store, if --store is not given."),
    Variable(
      "XDG_DATA_HOME", "HOME",
      help: "The place of your data folder, which has the store if none is named."),
    Variable("NO_COLOR", help: "If this is set and not empty, nothing is coloured."),
    Variable(
      "TERM", "COLUMNS", "LINES",
      help: "What the terminal can do, and its size if it does not tell that itself."),
  ]

  static let paging = Variable(
    "PAGER",
    help:
      "The program that shows long output; less without this. If it is empty or 'cat', there is none."
  )

  static let images = Variable(
    "TERM_PROGRAM", "LC_TERMINAL", "KITTY_WINDOW_ID", "TMUX", "STY",
    help: "The terminal, which decides whether images are shown.")

  static let desktop = Variable(
    "DISPLAY", "WAYLAND_DISPLAY", help: "Tells that there is a desktop that opens files.")

  static let clients = [
    Variable(
      "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME",
      help:
        "Where a client's settings are, which --install changes; else the client's own folder in HOME."
    )
  ]

  static let agents = [
    Variable("CLAUDE_CONFIG_DIR", help: "The folder of Claude Code; ~/.claude without this."),
    Variable("CODEX_HOME", help: "The folder of Codex; ~/.codex without this."),
    Variable(
      "GEMINI_CLI_HOME", help: "The folder that has Gemini CLI's .gemini; HOME without this."),
    Variable(
      "LLM_USER_PATH", "XDG_CONFIG_HOME",
      help: "The folder of llm; without this, io.datasette.llm in the folder for settings."),
  ]

  /// All variables that any command reads.
  static let all = common + [paging, images, desktop] + agents
}
