#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// `keepsake audit`: who made an artifact, from what, for which prompt, and how sure that is.
struct AuditCommand: Command {
  static let declaration = Declaration(
    name: "audit",
    summary: "Say which tool made an artifact, from what prompt, and where it was used since.",
    discussion: """
      WHAT is an artifact (a digest, a unique beginning of one, or SESSION/LABEL), a file, which is
      known by its bytes, or a session. Each step says how sure it is, and why. With --tool it lists
      what a tool made; with --csv as a table for spreadsheets, where a cell that would be run as a
      formula has an apostrophe before it.
      """,
    operands: [.optional("WHAT")],
    options: [
      .init(name: "--tool", value: "NAME", help: "List what this tool made."),
      .init(
        name: "--graph", value: "LANGUAGE", choices: GraphPage.Language.allCases.map(\.rawValue),
        help: "Print where it comes from as a graph, for programs that draw it."),
      .init(name: "--csv", help: "With --tool: print comma-separated values (RFC 4180)."),
    ] + Declaration.Option.paging(of: "lines of --tool", limit: 50),
    examples: [
      ("keepsake audit last/image_1", "Where an image of the newest session came from."),
      ("keepsake audit Downloads/banana.png", "Whether a file is in the store, and from where."),
      ("keepsake audit --tool GenerateImage", "All that a tool made."),
      ("keepsake audit last", "What a session made, and what is missing of it."),
      ("keepsake audit last --graph dot | dot -Tsvg -o audit.svg", "Draw it with Graphviz."),
      ("keepsake audit --tool Draw --csv --limit 10000 > made.csv", "A table of what a tool made."),
    ],
    isPaged: true)

  func run(_ arguments: Arguments, in context: Context) async throws -> ExitCode {
    let terminal = context.terminal
    let limit = try arguments.number("--limit") ?? 50
    let cursor = try arguments.cursor(Audit.Cursor.self)
    let tool = arguments.value("--tool")
    let isJSON = arguments.has("--json") || arguments.has("--jsonl")
    let graph = arguments.value("--graph").flatMap(GraphPage.Language.init)
    guard (tool == nil) != arguments.operands.isEmpty else {
      throw UsageError(
        message: "'audit' needs an artifact, a file or a session, or --tool NAME: one of them.",
        command: "audit")
    }
    if arguments.has("--csv"), tool == nil || isJSON {
      throw UsageError(
        message: "'--csv' is for --tool NAME, in place of JSON.", command: "audit")
    }
    if graph != nil, tool != nil || isJSON {
      throw UsageError(
        message: "'--graph' is for an artifact, a file or a session, in place of JSON.",
        command: "audit")
    }
    return try await context.withStore(arguments, for: .reading) { store in
      guard let name = arguments.operands.first else {
        let found = try await store.audit(tool: tool ?? "", limit: limit, after: cursor)
        try Self.print(found, arguments, context)
        return .done
      }
      let page = AuditPage(terminal: terminal)
      switch try await Subject(name, in: store) {
      case .artifact(let id):
        let trail = try await store.audit(id)
        if let graph {
          try Self.print(Audit.Graph(trail), graph, terminal)
        } else if isJSON {
          try terminal.json { $0.write(trail) }
        } else {
          try page.trail(trail)
        }
      case .session(let session):
        let report = try await session.audit()
        if let graph {
          try Self.print(Audit.Graph(report), graph, terminal)
        } else if isJSON {
          try terminal.json { $0.write(report) }
        } else {
          try page.report(report)
        }
      case .stranger(let file):
        let candidates = try await file.candidates(in: store)
        try terminal.note(
          "'\(name)' is not in the store: no artifact has its bytes (\(file.id))."
            + (candidates.isEmpty
              ? "" : " As many pixels have: \(candidates.joined(separator: ", ")).")
        )
        return .failed
      }
      return .done
    }
  }

  private static func print(
    _ graph: Audit.Graph, _ language: GraphPage.Language, _ terminal: Terminal
  ) throws {
    try terminal.output(Array(GraphPage(graph: graph).text(language).utf8))
  }

  /// What a tool made, as the arguments ask for it.
  private static func print(_ found: Audit.Page, _ arguments: Arguments, _ context: Context) throws
  {
    let terminal = context.terminal
    guard arguments.has("--csv") else {
      let now = context.now()
      return try ListPage(found.products, next: found.next) { $1.write($0) }.print(
        arguments, terminal, nothing: "Nothing was made by a tool of that name.",
        columns: AuditPage.productColumns
      ) { AuditPage.row($0, now: now) }
    }
    var text = CSVLine(Audit.Product.names).text + "\r\n"
    for product in found.products { text += CSVLine(product.cells).text + "\r\n" }
    if terminal.isTerminal {
      text = text.replacing("\r\n", with: "\n")
      try terminal.output(Array(Terminal.printable(text).utf8))
    } else {
      try terminal.output(Array(text.utf8))
    }
    if let next = found.next { try terminal.note("There is more: --after \(next)") }
  }
}

extension Audit.Product {
  /// The columns of a table: what JSON calls them.
  fileprivate static let names = [
    "artifact", "mediaType", "size", "session", "position", "label", "tool", "callID", "basis",
    "state", "created", "recording",
  ]

  fileprivate var cells: [String] {
    [
      artifact?.description ?? "", mediaType?.description ?? "", size.map { "\($0)" } ?? "",
      session.uuidString.lowercased(), position.map { "\($0)" } ?? "", label, tool ?? "",
      callID ?? "", basis.rawValue, state.rawValue, RFC3339.text(created.microseconds),
      "\(recording)",
    ]
  }
}

/// What an audit is about.
private enum Subject {
  case artifact(Artifact.ID)
  case session(Session)
  /// A file whose bytes the store does not have.
  case stranger(AuditedFile)

  init(_ name: String, in store: Store) async throws {
    let locator = Locator(store: store)
    if let id = Artifact.ID(name) {
      self = .artifact(try await store.artifact(id).id)
    } else if name == Locator.last {
      self = .session(try await locator.session(name))
    } else if FileManager.default.fileExists(atPath: name) {
      let file = try AuditedFile(name)
      do {
        self = .artifact(try await store.artifact(file.id).id)
      } catch let error as KeepsakeError where error.code == .notFound {
        self = .stranger(file)
      }
    } else if name.contains("/") || name.hasPrefix("sha256:") {
      self = .artifact(try await locator.artifact(name).artifact.id)
    } else {
      self = try await Self.named(name, locator)
    }
  }

  /// Digits may begin the id of a session or the name of an artifact.
  private static func named(_ name: String, _ locator: Locator) async throws -> Subject {
    var session: Session?
    do { session = try await locator.session(name) } catch let error as KeepsakeError {
      guard error.code == .notFound || error.code == .invalid else { throw error }
    }
    do {
      let artifact = try await locator.artifact(name).artifact
      guard session == nil else {
        throw CommandError(
          message:
            "'\(name)' begins the id of a session and the name of an artifact. Give more of it, or 'sha256:' before it."
        )
      }
      return .artifact(artifact.id)
    } catch let error as KeepsakeError {
      guard error.code == .notFound || error.code == .invalid else { throw error }
      if let session { return .session(session) }
      throw CommandError(
        message:
          "There is no artifact, file or session '\(name)'. Look for it with 'keepsake artifacts' or 'keepsake ls'."
      )
    }
  }
}

/// A file outside of the store, known by its bytes.
private struct AuditedFile {
  let id: Artifact.ID
  let pixelSize: PixelSize?

  init(_ path: String) throws {
    let file = try OutsideFile.open(path)
    id = Artifact.ID(try Ingest.hash(file).digest)
    pixelSize = try PixelSize { (offset, count) throws(FileError) in
      var bytes = [UInt8](repeating: 0, count: count)
      let read = try file.read(into: &bytes, at: offset)
      return Array(bytes.prefix(read))
    }
  }

  /// Artifacts of the same pixels, the newest first: one of them may be what the file was made from or into.
  func candidates(in store: Store) async throws -> [String] {
    guard let pixelSize else { return [] }
    var found: [String] = []
    var cursor: Artifact.Cursor?
    repeat {
      let page = try await store.artifacts(limit: 1000, after: cursor)
      found += page.artifacts.filter { $0.pixelSize == pixelSize }.map { Words.short($0.id) }
      cursor = page.next
    } while cursor != nil && found.count < 5
    return Array(found.prefix(5))
  }
}
