#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake
import KeepsakeFormats

/// `keepsake import`: takes over what files of other formats say.
struct ImportCommand: Command {
  static let declaration = Declaration(
    name: "import",
    summary: "Take over conversations from files; the same ones again add nothing.",
    discussion: """
      What a file is, its content shows: Apple's transcripts and fm's session files,
      AnyLanguageModel's, and Keepsake's own JSON and bundles, which are taken over whole, or not
      at all. Of a folder, all files in it and below are tried. '-' is standard input. A foreign
      file is kept verbatim, and 'export' gives it back to the byte. What could not be taken over
      is listed with the reason; a file that was named and could not be is a failure. Where there is
      nothing to import, no store is made.

      A file that begins with the records of one that was imported before has grown out of it, and
      adds what is new to its session. Any other becomes a session of its own, also one that has
      the same ids. Who knows better names the session with --into: what is new is added at its
      end, what changed becomes a revision, and where they part ways nothing is changed.
      """,
    operands: [.several("PATH")],
    options: [
      .init(
        name: "--format", value: "NAME", choices: Format.all.filter(\.canRead).map(\.name),
        help: "What the files are, where their content does not show it."),
      .init(
        name: "--into", value: "SESSION",
        help: "Take one file into this session, as what it says now."),
      .init(
        name: "--strict", help: "Fail if anything was skipped, or kept without being understood."),
      .json,
    ],
    examples: [
      ("keepsake import chat.json", "Take over a file."),
      ("keepsake import Exports", "Take over all that is in a folder."),
      ("fm export | keepsake import -", "Take over what another program prints."),
      ("keepsake import --into last chat.json", "Take a file into the newest session."),
    ])

  func run(_ arguments: Arguments, in context: Context) async throws -> ExitCode {
    let terminal = context.terminal
    let destination = arguments.value("--into")
    guard destination == nil || arguments.operands.count == 1 else {
      throw UsageError(message: "--into takes one file.", command: "import")
    }
    let use: Context.Access = destination == nil ? .creating : .writing
    var importing = Importing(format: arguments.value("--format"), terminal: terminal) {
      try await context.openStore(arguments, for: use)
    }
    do {
      if let destination {
        let locator = Locator(store: try await importing.opened())
        importing.destination = try await locator.session(destination)
      }
      try await importing.take(arguments.operands)
      if arguments.has("--json") {
        try terminal.json { $0.write(importing.report, from: importing.sources) }
      } else {
        try Self.print(importing.report, from: importing.sources, terminal)
      }
    } catch {
      await importing.close()
      throw error
    }
    await importing.close()
    let skipped = arguments.has("--strict") && !importing.report.skipped.isEmpty
    return importing.hasFailed || skipped ? .failed : .done
  }

  private static func print(
    _ report: ImportReport, from sources: [Importing.Source], _ terminal: Terminal
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
    for skipped in report.skipped {
      let isSaid = skipped.path.map { skipped.reason.contains("'\($0)'") } ?? true
      let place = [isSaid ? nil : skipped.path, skipped.line.map { "line \($0)" }]
        .compactMap { $0 }
      let head =
        skipped.isKept ? "note".padded(to: 7) : terminal.styled("skipped", .bad)
      let text = (place.isEmpty ? [] : [place.joined(separator: ", ")]) + [skipped.reason]
      let room = terminal.width.map { $0 - 9 }
      let lines = Terminal.oneLine(text.joined(separator: ": ")).folded(to: room)
      try terminal.line("\(head)  \(lines.joined(separator: "\n         "))")
    }
    let new = report.sessions.filter(\.new).count
    let added = report.sessions.reduce(0) { $0 + $1.added }
    let artifacts =
      "\(Words.count(report.artifacts.new, "new artifact")) (\(Words.size(report.artifacts.bytes)))"
    try terminal.line(
      "\(Words.count(report.sessions.count, "session")), \(new) new; \(Words.entries(added)) added; "
        + "\(artifacts), \(report.artifacts.known) known; \(report.skipped.count { !$0.isKept }) skipped."
    )
  }
}
