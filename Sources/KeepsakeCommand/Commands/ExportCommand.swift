#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake
import KeepsakeFormats

/// The command `keepsake export`, which writes sessions in formats of other programs.
struct ExportCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "export",
    summary: "Write sessions to a file, in full or in another program's format.",
    discussion: """
      Without --format, the file's name decides: a page for .html, a document for .md, a bundle for
      .tar. Any other name gives Keepsake's JSON, which has everything that is stored, with
      artifacts and history. For other formats, the command counts, by kind, what they can't
      express. A session that was imported from a format, and did not change since, is exported to
      it byte for byte.

      One session goes to standard output, or to the file that -o names. In a folder that exists, or
      whose path ends in '/', it gets a name of its own, and so does each of several sessions. A
      format that holds many sessions writes them to one file. Several pages get an index.html that
      lists them. A file, and the folder of artifacts beside it, appears when it is complete. Nothing
      is replaced without --force.

      As a session of a coding agent (claude-code, codex, gemini-cli), any session can be continued
      there. Calls and images stay as they are, if the agent's service takes them, and each call
      gets an output. With --install, the file goes where the agent looks for its sessions, and the
      command that resumes it is printed.
      """,
    examples: [
      (
        "keepsake export last -o chat.json", "Write the newest session with all that belongs to it."
      ),
      ("keepsake export last --format apple -o chat.json", "Write it as Apple's transcript."),
      ("keepsake export 3f2a --format anthropic", "Print one as a request to Anthropic's service."),
      (
        "keepsake export --all --format fine-tuning -o train.jsonl",
        "Write a line for each session, to train a model."
      ),
      ("keepsake export last -o chat.html", "Write a page that holds its images."),
      ("keepsake export last --fit 4096 -o next.json", "Write what a small model goes on from."),
      (
        "keepsake export last --format claude-code --install",
        "Go on with the newest session in Claude Code, wherever it came from."
      ),
      (
        "keepsake export --all --since 7d --format md -o Week/",
        "Write a week's sessions, a file each."
      ),
    ],
    variables: Variable.agents)

  let sessions = Operand.sessions(isRequired: false)
  let format = Option(
    "--format", value: "NAME",
    as: .oneOf(
      Format.all.filter { $0.canWrite || $0.givesBack }.flatMap { [$0.name] + $0.otherNames },
      refusing: Format.all.filter { !$0.canWrite && !$0.givesBack }.map(\.name)),
    help: "The format; without this, the file's name decides, or else json, or apple with --fit.")
  let artifacts = Option(
    "--artifacts", value: "HOW", as: Reading<ExportOptions.Artifacts>.choice,
    help:
      "Write their bytes into the file, as files beside it, or not at all; without this, as is usual for the format."
  )
  let fit = Option(
    "--fit", value: "N", as: .number(),
    help:
      "Write the newest turns that fit a window of so many tokens; a quarter stays free for the answer."
  )
  let output = Option(
    "--output", short: "-o", value: "PATH", as: .output,
    help: "A file or a folder; '-' or nothing is standard output.")
  let install = Flag(
    "--install", help: "Put the file where its coding agent looks for sessions.")
  let folder = Option(
    "--folder", value: "PATH", as: .folder,
    help: "For a coding agent: the folder of the session; without this, the current one.")
  let from = Option(
    "--from", value: "N", as: .number(),
    help: "For a coding agent: begin with the first prompt at or after entry N.")
  let all = Flag(
    "--all", help: "Export every session, or all that fulfil the conditions below.")
  let filters = FilterParameters()
  let force = Flag(
    "--force",
    help: "Replace an existing file, and the artifacts of an earlier export beside it.")

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let request = try ExportRequest(arguments, in: context)
    return try await context.withStore(arguments, for: .reading) { store in
      let sessions = try await request.sessions(in: store)
      let export = Exporting(store: store, request: request, terminal: context.terminal)
      if sessions.isEmpty {
        try context.terminal.note("No sessions.")
      } else if request.installs {
        try await export.install(sessions, environment: context.environment)
      } else if let url = request.url(for: sessions) {
        try await export.write(sessions, to: url)
      } else {
        try await export.print(sessions)
      }
      return .done
    }
  }
}
