import Files
import Keepsake
import KeepsakeFormats
import KeepsakeViewer

/// `keepsake export`: sessions as other programs read them.
struct ExportCommand: Command {
  static let declaration = Declaration(
    name: "export",
    summary: "Write sessions in another program's format.",
    discussion: """
      What was imported from that format and did not change is given back to the byte. What the
      format can't express is told, by kind and count. A file is seen when all of it is there.
      """,
    operands: [.several("SESSION")],
    options: [
      .init(
        name: "--format", value: "NAME",
        choices: Format.all.filter(\.canWrite).flatMap { [$0.name] + $0.otherNames }
          + [Self.page],
        help: "The format; apple where none is named; html is a page to read."),
      .init(
        name: "--output", short: "-o", value: "PATH",
        help: "A file, or a folder that is there; else standard output."),
      .force,
    ],
    examples: [
      ("keepsake export last -o chat.json", "Write the newest session as Apple's transcript."),
      ("keepsake export 3f2a --format anylanguagemodel", "Print one as AnyLanguageModel has it."),
      ("keepsake export last --format html -o chat.html", "Write a page that holds its images."),
    ])

  func run(_ arguments: Arguments, in context: Context) async throws -> ExitCode {
    let terminal = context.terminal
    let name = arguments.value("--format") ?? "apple"
    let output = try arguments.value("--output").flatMap { $0 == "-" ? nil : try OutputPath($0) }
    guard arguments.operands.count == 1 || output?.isFolder == true else {
      throw UsageError(
        message: "Several sessions go into a folder: name one that is there with -o.",
        command: "export")
    }
    return try await context.withStore(arguments, for: .reading) { store in
      for operand in arguments.operands {
        let session = try await Locator(store: store).session(operand)
        let losses: Losses
        if let output {
          let title = try await session.summary().title ?? "session"
          let file = try output.file(
            named: OutputPath.name(
              "\(title)-\(Words.short(session.id))",
              fileExtension: name == Self.page
                ? "html" : Format(named: name)?.fileExtensions.first),
            replacing: arguments.has("--force"))
          losses = try await Self.write(session, as: name) {
            try OutputPath.write($0, to: file.file)
          }
          try file.file.finish()
          try terminal.note(file.path)
        } else {
          losses = try await Self.print(session, as: name, terminal)
        }
        if !losses.isEmpty {
          try terminal.note(
            "Left out of \(Words.short(session.id)), as '\(name)' has no place for it: \(losses).")
        }
      }
      return .done
    }
  }

  /// For people, and no format of another program's.
  private static let page = "html"

  private static func write(
    _ session: Session, as name: String, into take: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws -> Losses {
    guard name == page else { return try await session.export(as: name, into: take) }
    try await session.page(.init(generator: "keepsake \(Program.version)"), into: take)
    return Losses()
  }

  private static func print(_ session: Session, as name: String, _ terminal: Terminal) async throws
    -> Losses
  {
    guard terminal.isTerminal else {
      return try await write(session, as: name) { try terminal.output($0) }
    }
    // A piece may end inside of a character, and what steers a terminal must not get there: all of it, then.
    let whole = Locked<[UInt8]>([])
    let losses = try await write(session, as: name) { piece in whole.withLock { $0 += piece } }
    try terminal.output(Terminal.escapingControls(whole.withLock { $0 }))
    return losses
  }
}
