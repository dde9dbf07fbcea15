import KeepsakeFiles
import Keepsake

/// The command `keepsake completions`, which prints scripts that complete typed words in a shell.
struct CompletionsCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "completions",
    summary: "Print completions of commands, options and sessions for a shell.",
    discussion: """
      SHELL is bash, zsh or fish. With 'sessions' in its place, the command prints what can stand
      for SESSION: 'last', and the newest sessions with their titles. The shells' completions call
      this.
      """,
    examples: [
      ("keepsake completions bash > ~/.local/share/bash-completion/completions/keepsake", "bash"),
      ("keepsake completions zsh > ~/.zfunc/_keepsake", "zsh"),
      ("keepsake completions fish > ~/.config/fish/completions/keepsake.fish", "fish"),
    ])

  let shell = Operand.required("SHELL", "bash, zsh or fish.")

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let shells = ["bash", "zsh", "fish"]
    let shell = arguments.shell
    if shell == Completions.sessions { return try await Self.sessions(arguments, in: context) }
    let completions = Completions(declarations: Program.commands.map { $0.declaration })
    let text =
      switch shell {
      case "bash": completions.bash
      case "zsh": completions.zsh
      case "fish": completions.fish
      default:
        throw UsageError(
          message:
            "There are completions for \(shells.joined(separator: ", ")), not for '\(shell)'.\(UsageError.suggestion(for: shell, among: shells))",
          command: arguments.command)
      }
    try context.terminal.output(Array(text.utf8))
    return .done
  }

  /// Prints the ids of sessions, each followed by a tab and the title.
  private static func sessions(_ arguments: Arguments<Self>, in context: Context) async throws
    -> ExitCode
  {
    let page = try await context.withStore(arguments, for: .reading) { store in
      try await store.sessions(limit: 100)
    }
    guard !page.sessions.isEmpty else { return .done }
    var text = "\(Locator.last)\tthe newest session\n"
    for session in page.sessions {
      let title = Terminal.oneLine(session.title ?? session.preview ?? "").fitting(60)
      text += "\(Words.short(session.id))\t\(title)\n"
    }
    try context.terminal.output(Array(text.utf8))
    return .done
  }
}
