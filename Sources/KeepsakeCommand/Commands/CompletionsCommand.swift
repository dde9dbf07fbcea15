import Files

/// `keepsake completions`: what a shell needs to complete what is typed.
struct CompletionsCommand: Command {
  static let declaration = Declaration(
    name: "completions",
    summary: "Print what a shell needs to complete commands and options.",
    operands: [.required("SHELL")],
    examples: [
      ("keepsake completions bash > ~/.local/share/bash-completion/completions/keepsake", "bash"),
      ("keepsake completions zsh > ~/.zfunc/_keepsake", "zsh"),
      ("keepsake completions fish > ~/.config/fish/completions/keepsake.fish", "fish"),
    ])

  func run(_ arguments: Arguments, in context: Context) async throws -> ExitCode {
    let shells = ["bash", "zsh", "fish"]
    let shell = arguments.operands[0]
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
}
