#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// The command `keepsake append`, which adds entries to a session.
struct AppendCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "append",
    summary: "Add entries to a session, and print their positions.",
    discussion: """
      With --kind, TEXT becomes one entry; without TEXT, standard input does. Without --kind, each
      line of standard input is an entry, in the form of 'show --json'. All of them are added, or
      none. An unknown member is an error. An entry names its attachments by their artifacts,
      {"artifact": "sha256:…"}. The store must have the bytes, or --attach must give them.

      For each entry, a line of JSON is printed: {"position", "id", "labels"}. The entries are
      durable by then.
      """,
    examples: [
      ("keepsake append last --kind prompt 'a banana, please'", "Add a prompt."),
      ("keepsake append last --kind toolCalls --tool Draw --call c1 '{}'", "Add a tool call."),
      ("keepsake append last --kind prompt 'What is it?' --attach cup.jpg", "With an image."),
      ("keepsake append last < entries.jsonl", "Add an entry for each line."),
    ])

  let session = Operand.session
  let text = Operand.optional("TEXT", "With --kind: the text of the entry.")
  let kind = Option(
    "--kind", value: "KIND",
    as: .oneOf([
      Entry.Kind.instructions, .prompt, .reasoning, .toolCalls, .toolOutput, .response, .event,
    ]), help: "The kind of the entry; for toolCalls, TEXT is the arguments.")
  let entry = EntryParameters()
  let attach = Option(
    "--attach", value: "FILE", several: .file,
    help: "A file to attach, or with the bytes that an entry names; may be given again.")

  /// The options for an entry's properties beside its text.
  struct EntryParameters: ParameterSet {
    let call = Option(
      "--call", value: "ID", as: .text,
      help: "The id of the call, or of the call that an output answers.")
    let tool = Option(
      "--tool", value: "NAME", as: .text, help: "The tool of a call or an output.")
    let model = Option("--model", value: "NAME", as: .text, help: "The model that made the entry.")
    let author = Option("--author", value: "NAME", as: .text, help: "The author of the entry.")
    let tag = Option("--tag", value: "TAG", several: .text, help: "A tag; may be given again.")
  }

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let terminal = context.terminal
    let kind = arguments.kind
    let text = arguments.text
    if kind == nil {
      let alone = arguments.entry.names.first
      if text != nil || alone != nil {
        throw UsageError(
          message: "Say what it is: '\(text == nil ? alone ?? "" : "TEXT")' needs --kind KIND.",
          command: "append")
      }
    }
    let files = arguments.attach
    let stored: [Entry]
    if let kind {
      let entry = try Self.entry(kind, try text ?? Self.text(kind, terminal), arguments.entry)
      let attachments = files.map { Self.attachment($0, to: entry) }
      stored = try await context.withStore(arguments, for: .writing) { store in
        let session = try await Locator(store: store).session(arguments.session)
        return [try await session.append(entry, attaching: attachments)]
      }
    } else {
      let lines = try Self.lines(Self.input(terminal), now: context.now())
      let sources = try Self.sources(files, for: lines.map(\.entry))
      stored = try await context.withStore(arguments, for: .writing) { store in
        let session = try await Locator(store: store).session(arguments.session)
        try await Self.check(lines, sources, in: store)
        return try await session.append(copies: lines.map(\.entry), from: sources)
      }
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

  /// Reads the text from standard input; empty input is refused, because the program before the pipe may have failed.
  private static func text(_ kind: Entry.Kind, _ terminal: Terminal) throws -> String {
    let input = try input(terminal)
    guard !input.isEmpty else {
      throw CommandError(
        message:
          "Can't append an entry of kind '\(kind.rawValue)': standard input is empty. Give TEXT; '' is an entry without words. Nothing was appended."
      )
    }
    guard let text = String(validating: input, as: UTF8.self) else {
      throw CommandError(
        message: "Can't append what is on standard input: it is not UTF-8. Convert it first.")
    }
    return text
  }

  private static func entry(
    _ kind: Entry.Kind, _ text: String, _ arguments: Arguments<EntryParameters>
  ) throws
    -> Entry
  {
    var entry: Entry
    switch kind {
    case .toolCalls:
      guard let tool = arguments.tool else {
        throw UsageError(message: "A tool call needs --tool NAME.", command: "append")
      }
      let call = arguments.call.map {
        Entry.ToolCall(id: $0, tool: tool, arguments: text)
      }
      entry = .toolCalls([call ?? Entry.ToolCall(tool: tool, arguments: text)])
    case .toolOutput:
      entry = .toolOutput(
        callID: arguments.call, tool: arguments.tool, segments: [.text(text)])
    default: entry = Entry(kind, segments: [.text(text)])
    }
    entry.model = arguments.model
    entry.author = arguments.author
    entry.tags = arguments.tag
    return entry
  }

  private static func lines(_ bytes: [UInt8], now: Date) throws -> [EntryLine] {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return try lines.enumerated().filter { $1.contains { $0 > 0x20 } }.map { index, line in
      try EntryLine(Array(line), number: index + 1, now: now)
    }
  }
}

// MARK: - Attachments

extension AppendCommand {
  /// Makes an attachment from a file; a response or an output made it, and otherwise the user gave it.
  private static func attachment(_ file: URL, to entry: Entry) -> Entry.NewAttachment {
    let maker: Entry.MadeBy =
      switch entry.kind {
      case .toolOutput:
        entry.callID.map { .toolCall(.init(id: $0, tool: entry.tool ?? "")) } ?? .response
      case .response: .response
      default: .user
      }
    return Entry.NewAttachment(.file(file), fileName: file.lastPathComponent, madeBy: maker)
  }

  /// Returns the given files by the ids of their bytes; throws if no entry names the bytes of a file.
  private static func sources(_ files: [URL], for entries: [Entry]) throws
    -> [Artifact.ID: ArtifactSource]
  {
    let named = Set(entries.flatMap { $0.attachments.compactMap(\.artifact?.id) })
    var sources: [Artifact.ID: ArtifactSource] = [:]
    for file in files {
      let id = Artifact.ID(try Ingest.hash(OutsideFile.open(file.path)).digest)
      guard named.contains(id) else {
        throw CommandError(
          message:
            "No entry names the bytes of '\(file.path)' (\(id)). Leave it out. Nothing was appended."
        )
      }
      sources[id] = .file(file)
    }
    return sources
  }

  /// Throws if an attachment names bytes that are neither given nor in the store, with the number of its line.
  private static func check(
    _ lines: [EntryLine], _ sources: [Artifact.ID: ArtifactSource], in store: Store
  ) async throws {
    for line in lines {
      for attachment in line.entry.attachments where attachment.state == .present {
        guard let id = attachment.artifact?.id, sources[id] == nil else { continue }
        do { _ = try await store.artifact(id) } catch let error as KeepsakeError
          where error.code == .notFound
        {
          throw EntryLine.refused(
            "It names bytes that the store does not have, \(id). Give their file with --attach FILE.",
            line.number)
        }
      }
    }
  }
}
