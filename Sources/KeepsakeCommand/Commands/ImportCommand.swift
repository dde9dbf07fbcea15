#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake
import KeepsakeFormats

/// The command `keepsake import`, which imports files of other formats.
struct ImportCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "import",
    summary: "Import conversations from files. Importing the same file again adds nothing.",
    discussion: """
      The content of a file shows its format. These are imported: sessions of Claude Code, Codex and
      Gemini CLI, the log database of llm, the exports of ChatGPT, Claude.ai and AI Studio, the
      requests and answers of OpenAI's, Anthropic's and Google's services, MCP's tool results, files
      of the AI SDK, LangChain, OpenAI's Agents SDK and Google's ADK, Apple's transcripts and fm's
      session files, AnyLanguageModel's transcripts, and Keepsake's own JSON and bundles. 'keepsake
      formats' lists them.

      In a folder, or a zip archive, all files are tried, at any depth, except for images, sound and
      films. Files that are compressed with gzip or zstd are unpacked. '-' is standard input.
      Without a PATH, the command looks where coding agents and llm keep their sessions on this
      machine, tells what it found, and imports that after a yes.

      A foreign file is kept verbatim, and 'export' writes it again byte for byte; of a database,
      the rows are kept. What could not be imported is listed with the reason. If that is a file
      that you named, the command fails. If there is nothing to import, no store is made.

      A file that begins with the records of an imported one adds only its new records to the same
      session. Any other file becomes a session of its own, even if it has the same ids. With --into
      you name the session that a file continues: new entries are added at the end, and changed ones
      become revisions. If the two contradict each other, nothing is changed.

      Agents' tool calls name the files that they write. With --take-files, files of a folder that
      are still as the calls made them are imported, too. Their content must follow from the calls,
      or they must have last changed while a call that names them ran. They are attached to the
      call's output, with how sure that is. Nothing outside of the folder is opened.
      """,
    examples: [
      ("keepsake import", "Import what coding agents keep on this machine."),
      ("keepsake import chat.json", "Import a file."),
      ("keepsake import export.zip", "Import the conversations in an archive."),
      ("keepsake import Exports", "Import everything in a folder."),
      ("fm export | keepsake import -", "Import what another program prints."),
      ("keepsake import --into last chat.json", "Import a file into the newest session."),
      ("keepsake import --take-files . session.jsonl", "Import what the agent made here, too."),
    ],
    variables: Variable.agents)

  let paths = Operand.several(
    "PATH", "A file, a folder, or '-' for standard input.", isRequired: false)
  let format = Option(
    "--format", value: "NAME", as: .oneOf(Format.all.filter(\.canRead).map(\.name)),
    help: "The format of files whose content does not show it.")
  let into = Option(
    "--into", value: "SESSION", as: .text,
    help: "Import one file into this session, as its present state.")
  let takeFiles = Option(
    "--take-files", value: "FOLDER", several: .file,
    help: "Also import files in this folder that calls made; may be given again.")
  let strict = Flag(
    "--strict", help: "Fail if anything was skipped, or kept without being understood.")
  let yes = Flag(
    "--yes", short: "-y", help: "Without a PATH: import what is found, without asking.")
  let json = Flag.json

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let terminal = context.terminal
    let destination = arguments.into
    guard destination == nil || arguments.paths.count == 1 else {
      throw UsageError(message: "--into takes one file.", command: "import")
    }
    var agents: AgentFiles?
    if arguments.paths.isEmpty {
      let found = try AgentFiles(context.environment)
      guard try Self.mayTake(found, arguments, terminal) else { return .failed }
      agents = found
    }
    let use: Context.Access = destination == nil ? .creating : .writing
    var importing = Importing(
      format: arguments.format, terminal: terminal, makesStore: try !context.hasStore(arguments)
    ) {
      try await context.openStore(arguments, for: use)
    }
    do {
      if let destination {
        let locator = Locator(store: try await importing.opened())
        importing.destination = try await locator.session(destination)
      }
      if let agents {
        try await importing.take(agents)
      } else {
        try await importing.take(arguments.paths)
      }
      let folders = arguments.takeFiles.map(\.absoluteURL)
      let files = folders.isEmpty ? nil : try await importing.takeFiles(from: folders)
      if arguments.json {
        try terminal.json { $0.write(importing.report, from: importing.sources, files) }
      } else {
        try Self.print(
          importing.report, from: importing.sources, isStrict: arguments.strict, terminal)
        if let files { try TakenFilesPage(terminal: terminal).print(files) }
      }
      try await importing.index()
    } catch {
      await importing.close()
      throw error
    }
    await importing.close()
    let skipped = arguments.strict && !importing.report.skipped.isEmpty
    return importing.hasFailed || skipped ? .failed : .done
  }

  /// Prints what agents keep on this machine, and asks whether to import it.
  private static func mayTake(
    _ agents: AgentFiles, _ arguments: Arguments<Self>, _ terminal: Terminal
  ) throws -> Bool {
    guard !agents.found.isEmpty else {
      throw CommandError(
        message:
          "Found no sessions where coding agents keep them on this machine. Name a file or a folder."
      )
    }
    if arguments.yes { return true }
    guard terminal.canAsk else {
      for line in agents.lines { try terminal.note(line) }
      throw CommandError(message: "Nothing was taken over. Say --yes to take over what was found.")
    }
    let question = (agents.lines + ["Take them over? The files stay as they are."])
    if try terminal.agrees(to: question.joined(separator: "\n")) { return true }
    try terminal.note("Nothing was taken over.")
    return false
  }

  private static func print(
    _ report: ImportReport, from sources: [Importing.Source], isStrict: Bool,
    _ terminal: Terminal
  ) throws {
    var table = TextTable([
      .init(heading: "SESSION", style: .code), .init(heading: "TITLE", gives: true),
      .init(heading: "ENTRIES", isNumber: true, leaves: 2),
      .init(heading: "ATTACHED", isNumber: true, leaves: 3),
      .init(heading: "FORMAT", leaves: 4), .init(heading: "FILE", leaves: 1), .init(heading: ""),
    ])
    for (session, source) in zip(report.sessions, sources) {
      var news = session.new ? ["new"] : []
      if !session.new, session.added > 0 { news.append("\(session.added) added") }
      if session.revised > 0 { news.append("\(session.revised) revised") }
      table.add([
        Words.short(session.id), session.title ?? source.preview ?? "", "\(session.entries)",
        "\(session.attachments)", session.format,
        source.file.split(separator: "/").last.map(String.init) ?? source.file,
        news.isEmpty ? "known" : news.joined(separator: ", "),
      ])
    }
    if !report.sessions.isEmpty { try table.print(terminal) }
    for session in report.sessions {
      guard let parting = session.parting else { continue }
      let other = Words.short(parting.session)
      let difference =
        parting.position < session.entries
        ? "its records differ from those of \(other) from position \(parting.position) on"
        : "what it says stands in \(other), too, and did not come from this file"
      let text =
        "\(Words.short(session.id)) is a session of its own: \(difference). If it is the same conversation, take it --into \(other)."
      let lines = text.folded(to: terminal.width.map { $0 - 6 })
      try terminal.line("note  \(lines.joined(separator: "\n      "))")
    }
    for skipped in report.skipped { try tell(skipped, isFailure: isStrict, terminal) }
    let new = report.sessions.filter(\.new).count
    let added = report.sessions.reduce(0) { $0 + $1.added }
    let artifacts =
      "\(Words.count(report.artifacts.new, "new artifact")) (\(Words.size(report.artifacts.bytes)))"
    try terminal.line(
      "\(Words.count(report.sessions.count, "session")), \(new) new; \(Words.entries(added)) added; "
        + "\(artifacts), \(report.artifacts.known) known; \(report.skipped.count { !$0.isKept }) skipped."
    )
  }

  /// Prints what was skipped on standard error, or what was kept without being understood, which is mostly no failure.
  private static func tell(
    _ skipped: ImportReport.Skipped, isFailure: Bool, _ terminal: Terminal
  ) throws {
    let isSaid = skipped.path.map { skipped.reason.contains("'\($0)'") } ?? true
    let place = [isSaid ? nil : skipped.path, skipped.line.map { "line \($0)" }]
      .compactMap { $0 }
    let head =
      skipped.isKept ? "note".padded(to: 7) : "skipped"
    let text = (place.isEmpty ? [] : [place.joined(separator: ", ")]) + [skipped.reason]
    let room = terminal.width.map { $0 - 9 }
    let lines = Terminal.oneLine(text.joined(separator: ": ")).folded(to: room)
    let said = "\(head)  \(lines.joined(separator: "\n         "))"
    try skipped.isKept && !isFailure ? terminal.line(said) : terminal.note(said)
  }
}
