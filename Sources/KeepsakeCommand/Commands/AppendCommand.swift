#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// `keepsake append`: adds entries to a session.
struct AppendCommand: Command {
  static let declaration = Declaration(
    name: "append",
    summary: "Add entries to a session, and print where each one stands.",
    discussion: """
      With --kind, TEXT, or without it standard input, becomes one entry. Without --kind, standard
      input has an entry on each line, as 'show --json' has them: all of them are added, or none.
      For each a line of JSON is printed: {"position", "id", "labels"}. They are durable by then.
      """,
    operands: [.required("SESSION"), .optional("TEXT")],
    options: [
      .init(
        name: "--kind", value: "KIND",
        choices: [
          Entry.Kind.instructions, .prompt, .reasoning, .toolCalls, .toolOutput, .response, .event,
        ].map(\.rawValue),
        help: "What TEXT is; of toolCalls it is the arguments."),
      .init(name: "--call", value: "ID", help: "The call, or the one that an output answers."),
      .init(name: "--tool", value: "NAME", help: "The tool of a call or an output."),
      .init(name: "--model", value: "NAME", help: "The model that made it."),
      .init(name: "--author", value: "NAME", help: "Who wrote it."),
      .init(name: "--tag", value: "TAG", repeats: true, help: "A tag; may be given again."),
    ],
    examples: [
      ("keepsake append last --kind prompt 'a banana, please'", "Add a prompt."),
      ("keepsake append last --kind toolCalls --tool Draw --call c1 '{}'", "Add a tool call."),
      ("keepsake append last < entries.jsonl", "Add an entry for each line."),
    ])

  func run(_ arguments: Arguments, in context: Context) async throws -> ExitCode {
    let terminal = context.terminal
    let kind = arguments.value("--kind").flatMap(Entry.Kind.init)
    let text = arguments.operands.dropFirst().first
    if kind == nil {
      let alone = ["--call", "--tool", "--model", "--author", "--tag"].first {
        arguments.value($0) != nil
      }
      if text != nil || alone != nil {
        throw UsageError(
          message: "Say what it is: '\(text == nil ? alone ?? "" : "TEXT")' needs --kind KIND.",
          command: "append")
      }
    }
    let entries =
      if let kind {
        [try Self.entry(kind, try text ?? Self.text(terminal), arguments)]
      } else {
        try Self.entries(Self.input(terminal))
      }
    let stored = try await context.withStore(arguments, for: .writing) { store in
      try await Locator(store: store).session(arguments.operands[0]).append(entries)
    }
    for entry in stored {
      try terminal.json { writer in
        writer.beginObject()
        writer.fixed("position", entry.position)
        writer.fixed("id", entry.id)
        writer.strings("labels", entry.attachments.map(\.label))
        writer.endObject()
      }
    }
    return .done
  }

  private static func input(_ terminal: Terminal) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let piece = try terminal.input()
      if piece.isEmpty { return bytes }
      bytes += piece
    }
  }

  private static func text(_ terminal: Terminal) throws -> String {
    guard let text = String(validating: try input(terminal), as: UTF8.self) else {
      throw CommandError(
        message: "Can't append what is on standard input: it is not UTF-8. Convert it first.")
    }
    return text
  }

  private static func entry(_ kind: Entry.Kind, _ text: String, _ arguments: Arguments) throws
    -> Entry
  {
    var entry: Entry
    switch kind {
    case .toolCalls:
      guard let tool = arguments.value("--tool") else {
        throw UsageError(message: "A tool call needs --tool NAME.", command: "append")
      }
      let call = arguments.value("--call").map {
        Entry.ToolCall(id: $0, tool: tool, arguments: text)
      }
      entry = .toolCalls([call ?? Entry.ToolCall(tool: tool, arguments: text)])
    case .toolOutput:
      entry = .toolOutput(
        callID: arguments.value("--call"), tool: arguments.value("--tool"), segments: [.text(text)])
    default: entry = Entry(kind, segments: [.text(text)])
    }
    entry.model = arguments.value("--model")
    entry.author = arguments.value("--author")
    entry.tags = arguments.values("--tag")
    return entry
  }

  private static func entries(_ bytes: [UInt8]) throws -> [Entry] {
    var entries: [Entry] = []
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where line.contains(where: { $0 > 0x20 }) {
      let entry: Entry
      do { entry = try Entry(json: JSON(validating: Array(line))) } catch let error as JSONError {
        throw CommandError(message: "Can't read line \(index + 1): \(error). Nothing was appended.")
      } catch let error as KeepsakeError {
        throw CommandError(message: "Line \(index + 1): \(error.message) Nothing was appended.")
      }
      guard entry.attachments.isEmpty else {
        throw CommandError(
          message:
            "Line \(index + 1) has attachments, whose bytes are not in it: attach them with 'keepsake attach'. Nothing was appended."
        )
      }
      entries.append(entry)
    }
    return entries
  }
}
