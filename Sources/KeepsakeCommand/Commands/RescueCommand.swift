#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake
import KeepsakeFormats

/// The command `keepsake rescue`, which tells why an agent can't resume a conversation, and writes a healed copy.
struct RescueCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "rescue",
    summary: "Tell why a coding agent can't resume a session, and write a copy that it can.",
    discussion: """
      FILE is a session of Claude Code, Codex or Gemini CLI. SESSION is a session that was imported
      from one of them. Each cause is told with its line and the broken rule: calls without results
      and results without calls, ids that come twice, images that are too large, damaged or of
      another type than declared, empty texts, thinking without a signature, broken chains of lines,
      damaged lines, and whatever else the agent's service refuses.

      With -o or --install, a healed copy is written: a new file with a new id, as the agent's own
      forks have. The original file is only read. As little as possible is changed, each change is
      told, and the rest stays byte for byte. An image that can't be sent becomes a text that names
      it. The original is imported into the store first, so that nothing is lost.

      The command can't know whether a signature belongs to the right account, or what a server will
      answer.
      """,
    examples: [
      ("keepsake rescue 3f2a.jsonl", "Say what is wrong with a session."),
      ("keepsake rescue last --install", "Write a copy of the newest session that can be resumed."),
      (
        "keepsake rescue 3f2a.jsonl -o . --limit images=600",
        "The same, for a model that takes more images."
      ),
    ],
    variables: Variable.agents)

  let what = Operand.required("FILE|SESSION", "A coding agent's file, or a session from one.")
  let output = Option(
    "--output", short: "-o", value: "PATH", as: .text,
    help: "Write a healed copy into this folder, or to a file with a name that the agent finds.")
  let install = Flag(
    "--install", help: "Write a healed copy to where the agent looks for its sessions.")
  let dryRun = Flag(
    "--dry-run", help: "With -o or --install: tell what would be written, and write nothing.")
  let folder = Option(
    "--folder", value: "PATH", as: .folder,
    help: "The new folder of a conversation whose folder was moved.")
  let stripThinking = Flag(
    "--strip-thinking",
    help: "Leave out all thinking, which is refused after a change of model or account.")
  let limit = Option(
    "--limit", value: "NAME=N", several: .limit,
    help: "A limit that differs from the usual one; may be given again.")
  let json = Flag.json

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let terminal = context.terminal
    var options = Self.options(arguments)
    let source = try await Source(arguments, in: context)
    let isAsked = arguments.output != nil || arguments.install
    options.isKept = isAsked || !source.isFile
    let rescue = try Rescue(path: source.path, name: source.name, options: options)
    let copy = isAsked ? try Copy(of: rescue, arguments, in: context) : nil
    var written: RescuePage.Written?
    if let copy, !rescue.report.changes.isEmpty {
      let isWriting = !arguments.dryRun
      if isWriting {
        if source.isFile {
          try await Self.keep(source.path, as: rescue.format, arguments, in: context)
        }
        try copy.write(rescue, besides: source.isFile ? source.path : nil)
      }
      written = .init(
        path: copy.path, id: copy.id, resuming: rescue.resuming(copy.id), isDone: isWriting)
    }
    let page = RescuePage(
      report: rescue.report, source: arguments.what, written: written, isAsked: isAsked)
    try arguments.json ? page.printJSON(terminal) : page.print(terminal)
    let isLeft = isAsked ? !rescue.report.unhealed.isEmpty : !rescue.report.findings.isEmpty
    return isLeft ? .damaged : .done
  }

  private static func options(_ arguments: Arguments<Self>) -> RescueOptions {
    var options = RescueOptions()
    options.folder = arguments.folder
    options.stripsThinking = arguments.stripThinking
    for limit in arguments.limit { options.limits[limit.name] = limit.number }
    return options
  }

  /// Imports the file into the store, so that content left out of the healed copy is kept.
  private static func keep(
    _ path: String, as format: String, _ arguments: Arguments<Self>, in context: Context
  ) async throws {
    _ = try await context.withStore(arguments, for: .creating) { store in
      try await store.importFile(at: URL(filePath: path), format: format)
    }
  }
}

extension Reading where Value == RescueCommand.Limit {
  /// Reads the name and number of a limit, such as `images=600`.
  fileprivate static var limit: Reading {
    let names = RescueLimits.all.map(\.name).joined(separator: ", ")
    return Reading(wanted: "NAME=N", hint: "The names are \(names).") { text in
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, let number = Int(parts[1]), number > 0, RescueLimits.has(parts[0])
      else { return nil }
      return RescueCommand.Limit(name: parts[0], number: number)
    }
  }
}

extension RescueCommand {
  /// A limit that differs from the usual one.
  struct Limit: Sendable {
    let name: String
    let number: Int
  }

  /// The healed copy, with its place and its id.
  private struct Copy {
    let id: UUID
    private let place: Place

    /// The place of the healed file: a named path, or the folder of an agent.
    private enum Place {
      case named(Directory, name: String)
      case installed(AgentInstallation)
    }

    var path: String {
      switch place {
      case .named(let folder, let name): folder.path(of: name)
      case .installed(let place): "\(place.folder)/\(place.name)"
      }
    }

    init(
      of rescue: Rescue, _ arguments: Arguments<RescueCommand>, in context: Context
    ) throws {
      guard let path = arguments.output else {
        id = UUID()
        place = .installed(try Self.installation(of: rescue, as: id, in: context))
        return
      }
      if arguments.install {
        throw UsageError(
          message: "'--install' says where it goes, and so does '-o'. Give one of them.",
          command: "rescue")
      }
      if try OutputPath(path).isFolder {
        id = UUID()
        place = .named(try OutsideFile.folder(path), name: rescue.fileName(id, at: Date()))
        return
      }
      let url = URL(filePath: path)
      let name = url.lastPathComponent
      guard let id = rescue.id(inFileName: name) else {
        throw CommandError(
          message:
            "\(rescue.report.program) would not find '\(name)': it goes by the name, like '\(rescue.fileName(UUID(), at: Date()))'. Name a folder, and the file gets such a name."
        )
      }
      self.id = id
      place = .named(
        try OutsideFile.folder(url.deletingLastPathComponent().path), name: name)
    }

    private static func installation(
      of rescue: Rescue, as id: UUID, in context: Context
    ) throws -> AgentInstallation {
      guard let home = context.environment["HOME"], home.hasPrefix("/") else {
        throw CommandError(
          message:
            "Can't tell where agents keep their sessions: HOME is not set. Name a folder with -o.")
      }
      let place = try rescue.installation(
        as: id, home: home, environment: context.environment)
      guard let place else {
        throw CommandError(
          message:
            "The session does not say which folder it belongs to. Name it with --folder, or where the file goes with -o."
        )
      }
      return place
    }

    func write(_ rescue: Rescue, besides path: String?) throws {
      switch place {
      case .named(let folder, let name):
        try rescue.write(as: id, to: name, in: folder, besides: path)
      case .installed(let place): try rescue.install(place, as: id, besides: path)
      }
    }
  }

  /// The conversation to rescue: a file, or the file from which a session was imported.
  private struct Source {
    let path: String
    let name: String
    let isFile: Bool
    /// The temporary folder with the file of a session; nil for a named file.
    private let passing: PassingFolder?

    init(_ arguments: Arguments<RescueCommand>, in context: Context) async throws {
      let operand = arguments.what
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

    /// Writes the file from which a session was imported, byte for byte.
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
