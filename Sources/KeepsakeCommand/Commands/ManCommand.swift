import KeepsakeFiles

/// The command `keepsake man`, which prints the manual's pages.
struct ManCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "man",
    summary: "Print the manual page of keepsake, or of one of its commands.",
    discussion: """
      The Debian package has all pages, so that 'man keepsake-show' finds one. On other systems, put
      them with --all into a folder man1 in one of the folders that 'manpath' lists.
      """,
    examples: [
      ("keepsake man show | man -l -", "Read the page of a command."),
      (
        "keepsake man --all -o ~/.local/share/man/man1 --force",
        "Install all pages, and replace older ones."
      ),
    ])

  let topic = Operand.optional("COMMAND", "A command; without it, the page of keepsake itself.")
  let all = Flag("--all", help: "Every page, a file for each in the folder that -o names.")
  let output = Option(
    "--output", short: "-o", value: "PATH", as: .output,
    help: "A file, or an existing folder; '-' or nothing is standard output.")
  let force = Flag.force

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let path = arguments.output?.path
    let pages: [ManPage]
    if arguments.all {
      guard arguments.topic == nil, let path, try OutputPath(path).isFolder else {
        throw UsageError(
          message: "'--all' needs the folder that they go to, and no COMMAND: --all -o FOLDER.",
          command: arguments.command)
      }
      pages = ManPage.all
    } else {
      let declaration = try arguments.topic.map { try Program.command($0).declaration }
      pages = [ManPage(declaration: declaration)]
    }
    for page in pages {
      guard let path else {
        try context.terminal.output(Array(page.text.utf8))
        continue
      }
      let file = try OutputPath(path).file(
        named: page.fileName, replacing: arguments.force)
      try OutputPath.write(Array(page.text.utf8), to: file.file)
      try file.file.finish()
    }
    return .done
  }
}
