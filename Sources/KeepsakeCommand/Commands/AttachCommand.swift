#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// The command `keepsake attach`, which keeps a file's bytes in a session.
struct AttachCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "attach",
    summary: "Keep a file in a session, record who made it, and print its label.",
    discussion: """
      Without --call or --step, the file counts as given by the user. The file of a call is attached
      to the call's output, even if that is appended later.
      """,
    examples: [
      ("keepsake attach last --call call-1 banana.png", "Keep what a tool call drew."),
      ("keepsake attach last photo.jpg --entry 1 --caption 'My cup'", "Keep what a person gave."),
    ])

  let session = Operand.session
  let file = Operand.required("FILE", "The file.")
  let call = Option("--call", value: "ID", as: .text, help: "The tool call that made the file.")
  let tool = Option(
    "--tool", value: "NAME", as: .text, help: "The tool of a call that is appended later.")
  let step = Option(
    "--step", value: "NAME", as: .text, help: "The step of the app that made the file.")
  let entry = Option(
    "--entry", value: "N", as: .number(atLeast: 0),
    help: "The position of the entry that the file belongs to.")
  let caption = Option("--caption", value: "TEXT", as: .text, help: "A caption.")
  let label = Option(
    "--label", value: "LABEL", as: .text,
    help: "The wanted label; if it is taken, the file gets another.")
  let type = Option(
    "--type", value: "TYPE", as: .mediaType, help: "The media type that the maker declares.")

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let file = URL(filePath: arguments.file)
    if arguments.call != nil, arguments.step != nil {
      throw UsageError(
        message: "'--call' and '--step' don't go together. Give one of them.", command: "attach")
    }
    let wanted = arguments.label
    let label = try await context.withStore(arguments, for: .writing) { store in
      let session = try await Locator(store: store).session(arguments.session)
      var attachment = Entry.NewAttachment(
        .file(file), mediaType: arguments.type,
        fileName: file.lastPathComponent, label: wanted,
        caption: arguments.caption, madeBy: .user)
      if let call = arguments.call {
        let tool = try await Self.tool(ofCall: call, in: session) ?? arguments.tool
        guard let tool else {
          throw CommandError(
            message:
              "The session has no tool call '\(call)'. If it comes later, name its tool with --tool NAME."
          )
        }
        attachment.maker = .toolCall(.init(id: call, tool: tool))
        attachment.direction = .made
      } else if let step = arguments.step {
        attachment.maker = .step(step)
        attachment.direction = .made
      }
      return try await session.attach(attachment, to: arguments.entry).label
    }
    try context.terminal.line(Terminal.oneLine(label))
    if let wanted, wanted != label {
      try context.terminal.note(
        "The label '\(Terminal.oneLine(wanted))' is taken in this session. This is '\(Terminal.oneLine(label))'."
      )
    }
    return .done
  }

  /// Returns the tool of the newest call with an id; nil if there is no such call.
  private static func tool(ofCall id: String, in session: Session) async throws -> String? {
    var end = try await session.count()
    while end > 0 {
      let page = try await session.entries(before: end, count: 256)
      for entry in page.reversed() {
        if let call = entry.toolCalls.last(where: { $0.id == id }) { return call.tool }
      }
      guard let first = page.first?.position else { return nil }
      end = first
    }
    return nil
  }
}
