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
    summary: "Write sessions to a file, whole or in another program's format.",
    discussion: """
      Where no format is named, it is the one that the file's name ends in: a page for .html, a
      document for .md, a bundle for .tar. Anything else is Keepsake's JSON, which has all that is
      stored, artifacts and history included. What other formats
      can't express is told, by kind and count; what was imported from a format and did not change is given
      back to the byte in it. One session goes to standard output, or to
      the file that -o names. Into a folder that is there, or that ends in '/', it goes under a name
      of its own; so does each of several sessions, and each of --all, unless the format holds many
      in a file: then PATH is a folder, made where it isn't there. Several pages get an index.html that
      lists them. A file, and the folder of
      artifacts beside it, is seen when all of it is there, and nothing is replaced without --force.

      As a session of a coding agent (claude-code, codex, gemini-cli) any session goes on there: calls
      and images stay what they are, as far as the agent's service takes them, and no call is without an
      output. With --install the file goes where the agent lists it, and the command that resumes it is
      printed. What came from that agent, and has not changed since, is given back as it stood.
      """,
    examples: [
      (
        "keepsake export last -o chat.json", "Write the newest session with all that belongs to it."
      ),
      ("keepsake export last --format apple -o chat.json", "Write it as Apple's transcript."),
      ("keepsake export 3f2a --format anthropic", "Print one as a request to Anthropic's service."),
      (
        "keepsake export --all --format fine-tuning -o train.jsonl",
        "A line for each session, to train a model with."
      ),
      ("keepsake export last -o chat.html", "Write a page that holds its images."),
      ("keepsake export last --fit 4096 -o next.json", "What a small model goes on from."),
      (
        "keepsake export last --format claude-code --install",
        "Go on with the newest session in Claude Code, wherever it came from."
      ),
      ("keepsake export --all --since 7d --format md -o Week/", "A week's sessions, a file each."),
    ],
    variables: Variable.agents)

  let sessions = Operand.sessions(isRequired: false)
  let format = Option(
    "--format", value: "NAME",
    as: .oneOf(
      Format.all.filter { $0.canWrite || $0.givesBack }.flatMap { [$0.name] + $0.otherNames },
      refusing: Format.all.filter { !$0.canWrite && !$0.givesBack }.map(\.name)),
    help: "The format, if not the one that the file's name ends in; json, or apple with --fit.")
  let artifacts = Option(
    "--artifacts", value: "HOW", as: Reading<ExportOptions.Artifacts>.choice,
    help:
      "Their bytes in the file, as files beside it, or not at all; else as is usual for the format."
  )
  let fit = Option(
    "--fit", value: "N", as: .number(),
    help:
      "What a model with a window of so many tokens goes on from: the newest turns; a quarter stays free for the answer."
  )
  let output = Option(
    "--output", short: "-o", value: "PATH", as: .output,
    help: "A file or a folder; else, and as '-', standard output.")
  let install = Flag(
    "--install", help: "Put it where the coding agent whose format it is looks for its sessions.")
  let folder = Option(
    "--folder", value: "PATH", as: .folder,
    help: "For a coding agent: the folder that the session is to belong to; else this one.")
  let from = Option(
    "--from", value: "N", as: .number(),
    help: "For a coding agent: carry over what was said from the first prompt at entry N on.")
  let all = Flag(
    "--all", help: "Every session, or those for which what is said below holds.")
  let filters = FilterParameters()
  let force = Flag(
    "--force",
    help: "Replace a file that is there already, and an earlier export's artifacts beside it.")

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
