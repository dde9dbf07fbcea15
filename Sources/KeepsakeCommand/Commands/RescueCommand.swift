#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake
import KeepsakeFormats

/// `keepsake rescue`: why an agent can't go on with a conversation, and a copy with which it can.
struct RescueCommand: Command {
  static let declaration = Declaration(
    name: "rescue",
    summary: "Say why a coding agent can't resume a session, and write one that it can.",
    discussion: """
      FILE is a session of Claude Code, Codex or Gemini CLI; SESSION is one that was imported from there. Each cause is told
      with its line and the rule that it breaks: calls without results and results without calls, ids
      that come twice, images that are too large, damaged or not what they are called, empty texts,
      thinking without a signature, broken chains of lines, damaged lines, and whatever else is
      refused by the service behind the agent. With -o it writes a healed copy: a new file with a new
      id, as the agent's own forks are; the old one is only read. The least is changed, only in what
      is sent, and each change is told; all else stays byte for byte. An image that can't be sent
      becomes a text that names it. So that nothing is lost by that, the file is taken into the store
      first. It can't tell whether a signature is of the right account, or what a server will say.

      Found causes end it with 2, and with -o those that can't be healed.

      Limits, as of \(RescueLimits.asOf): \(RescueLimits.all.map { "\($0.name) \($0.usual)" }.joined(separator: ", ")).
      """,
    operands: [.required("FILE|SESSION")],
    options: [
      .init(
        name: "--output", short: "-o", value: "PATH",
        help: "Write a healed copy into this folder, or to a file with a name that the agent finds."
      ),
      .init(name: "--dry-run", help: "With -o: say what would be written, and write nothing."),
      .init(
        name: "--folder", value: "PATH",
        help: "The folder that the conversation belongs to now, where it was moved."),
      .init(
        name: "--strip-thinking",
        help: "Leave out all thinking: after a change of model or account it is refused."),
      .init(
        name: "--limit", value: "NAME=N", repeats: true,
        help: "Another limit than the usual one; may be given again."),
      .json,
    ],
    examples: [
      ("keepsake rescue 3f2a.jsonl", "Say what is wrong with a session."),
      ("keepsake rescue last -o .", "Write a copy of the newest session that can be resumed."),
      (
        "keepsake rescue 3f2a.jsonl -o . --limit images=600",
        "The same, for a model that takes more images."
      ),
    ])

  func run(_ arguments: Arguments, in context: Context) async throws -> ExitCode {
    let terminal = context.terminal
    var options = try Self.options(arguments)
    let source = try await Source(arguments, in: context)
    let isWriting = arguments.value("--output") != nil && !arguments.has("--dry-run")
    options.isKept = arguments.value("--output") != nil || !source.isFile
    let rescue = try Rescue(path: source.path, name: source.name, options: options)
    let place = try arguments.value("--output").map { try Self.place($0, for: rescue) }
    var written: RescuePage.Written?
    if let place, !rescue.report.changes.isEmpty {
      if isWriting {
        if source.isFile { try await Self.keep(source.path, arguments, in: context) }
        try rescue.write(
          as: place.id, to: place.name, in: place.folder,
          besides: source.isFile ? source.path : nil)
      }
      written = .init(
        path: place.folder.path(of: place.name), id: place.id,
        resuming: rescue.resuming(place.id), isDone: isWriting)
    }
    let page = RescuePage(
      report: rescue.report, source: arguments.operands[0], written: written,
      isAsked: place != nil)
    try arguments.has("--json") ? page.printJSON(terminal) : page.print(terminal)
    let isLeft = place == nil ? !rescue.report.findings.isEmpty : !rescue.report.unhealed.isEmpty
    return isLeft ? .damaged : .done
  }

  private static func options(_ arguments: Arguments) throws -> RescueOptions {
    var options = RescueOptions()
    options.folder = arguments.value("--folder").map { URL(filePath: $0).absoluteURL.path }
    options.stripsThinking = arguments.has("--strip-thinking")
    for limit in arguments.values("--limit") {
      let parts = limit.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, let number = Int(parts[1]), number > 0, RescueLimits.has(parts[0])
      else {
        let names = RescueLimits.all.map(\.name).joined(separator: ", ")
        throw UsageError(
          message:
            "'--limit' takes NAME=N, not '\(limit)'. The names are \(names).", command: "rescue")
      }
      options.limits[parts[0]] = number
    }
    return options
  }

  /// Where the healed file goes, under which name and id.
  private static func place(
    _ path: String, for rescue: Rescue
  ) throws -> (folder: Directory, name: String, id: UUID) {
    let output = try OutputPath(path)
    if output.isFolder {
      let id = UUID()
      return (try OutsideFile.folder(path), rescue.fileName(id, at: Date()), id)
    }
    let url = URL(filePath: path)
    guard let id = rescue.id(inFileName: url.lastPathComponent) else {
      throw CommandError(
        message:
          "\(rescue.report.program) would not find '\(url.lastPathComponent)': it goes by the name, like '\(rescue.fileName(UUID(), at: Date()))'. Name a folder, and the file gets such a name."
      )
    }
    return (
      try OutsideFile.folder(url.deletingLastPathComponent().path), url.lastPathComponent, id
    )
  }

  /// Takes the file into the store, so that what is left out of the healed one is kept.
  private static func keep(
    _ path: String, _ arguments: Arguments, in context: Context
  ) async throws {
    _ = try await context.withStore(arguments, for: .creating) { store in
      try await store.importFile(at: URL(filePath: path))
    }
  }
}

extension RescueCommand {
  /// What is to be rescued: a file, or what a session of the store was imported from.
  private struct Source {
    let path: String
    let name: String
    let isFile: Bool
    /// Where the file of a session is put for as long as it is needed.
    private let passing: PassingFolder?

    init(_ arguments: Arguments, in context: Context) async throws {
      let operand = arguments.operands[0]
      let looksLikeFile = operand.contains("/") || operand.contains(".")
      if looksLikeFile || FileStatus(path: operand) != nil {
        path = operand
        name = operand
        isFile = true
        passing = nil
        return
      }
      let place = try PassingFolder(
        in: Directory(path: FileManager.default.temporaryDirectory.path))
      name = operand
      isFile = false
      path = place.folder.path(of: "session.jsonl")
      passing = place
      try await context.withStore(arguments, for: .reading) { store in
        let session = try await Locator(store: store).session(operand)
        try await Self.write(session, to: path)
      }
    }

    /// Writes the file that a session was imported from, as it was.
    private static func write(_ session: Session, to path: String) async throws {
      guard let format = try Rescue.formats.first(where: session.isGivenBack) else {
        throw CommandError(
          message:
            "\(Words.short(session.id)) was not imported from a program whose sessions can be rescued, or has changed since. \(Rescue.whatCanBeRescued)"
        )
      }
      try await session.export(as: format, to: URL(filePath: path))
    }
  }
}
