#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake
import KeepsakeFormats

/// The command `keepsake audit`, which tells who made an artifact, from what, for which prompt, and how sure that is.
struct AuditCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "audit",
    summary: "Tell which tool made an artifact, from which prompt, and where it was used.",
    discussion: """
      WHAT is an artifact (a digest, a unique beginning of one, or SESSION/LABEL), a file, or a
      session. Each step of the answer says how sure it is, and why.

      A file is looked up by its bytes and by its path. Agents' calls that name the path are listed,
      with the traces of them in the file itself. With --git, the first commit that has the file's
      bytes is looked up in the repository around the file.

      With --tool, everything that a tool made is listed. With --csv, the list is a table for
      spreadsheets. A cell that a spreadsheet would run as a formula gets an apostrophe before it.
      """,
    examples: [
      ("keepsake audit last/image_1", "Where an image of the newest session came from."),
      ("keepsake audit Downloads/banana.png", "Whether a file is in the store, and from where."),
      ("keepsake audit --git src/app.py", "Which call wrote a file, and which commit took it in."),
      ("keepsake audit --tool GenerateImage", "All that a tool made."),
      ("keepsake audit last", "What a session made, and what is missing of it."),
      ("keepsake audit last --graph dot | dot -Tsvg -o audit.svg", "Draw it with Graphviz."),
      ("keepsake audit --tool Draw --csv --limit 10000 > made.csv", "A table of what a tool made."),
    ],
    isPaged: true)

  let what = Operand.optional("WHAT", "An artifact, a file or a session.")
  let tool = Option(
    "--tool", value: "NAME", as: .text, help: "List everything that this tool made.")
  let graph = Option(
    "--graph", value: "LANGUAGE", as: Reading<GraphPage.Language>.choice,
    help: "Print the origin as a graph, for programs that draw it.")
  let git = Flag(
    "--git", help: "For a file: find the first commit that has its bytes.")
  let csv = Flag("--csv", help: "With --tool: print comma-separated values (RFC 4180).")
  let page = PageParameters<Audit.Cursor>(of: "lines of --tool", limit: 50)

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let terminal = context.terminal
    let isJSON = arguments.page.json || arguments.page.jsonl
    let graph = arguments.graph
    try Self.check(arguments)
    return try await context.withStore(arguments, for: .reading) { store in
      guard let name = arguments.what else {
        let found = try await store.audit(
          tool: arguments.tool ?? "", limit: arguments.page.limit, after: arguments.page.after)
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
          let calls = try await session.callsNamingFiles()
          try terminal.json { $0.write(report, naming: calls) }
        } else {
          try page.report(report)
          try page.files(namedBy: try await session.callsNamingFiles())
        }
      case .file(let file):
        var audit = try await FileAudit(of: file, in: store)
        if arguments.git, let path = file.openPath {
          audit.commit = try GitCommit.first(withBytesOf: path, context.environment)
        }
        guard !audit.isEmpty, graph == nil || audit.trail != nil else {
          try terminal.note(try await file.unknown(in: store))
          return .failed
        }
        if let graph, let trail = audit.trail {
          try Self.print(Audit.Graph(trail), graph, terminal)
        } else if isJSON {
          try terminal.json { $0.write(audit) }
        } else {
          try page.file(audit, hasAskedGit: arguments.git)
        }
      }
      return .done
    }
  }

  /// Checks that the arguments go together.
  private static func check(_ arguments: Arguments<Self>) throws {
    let tool = arguments.tool
    let isJSON = arguments.page.json || arguments.page.jsonl
    guard (tool == nil) != (arguments.what == nil) else {
      throw UsageError(
        message: "'audit' needs an artifact, a file or a session, or --tool NAME: one of them.",
        command: "audit")
    }
    if arguments.csv, tool == nil || isJSON {
      throw UsageError(
        message: "'--csv' is for --tool NAME, in place of JSON.", command: "audit")
    }
    if arguments.git, tool != nil || arguments.graph != nil {
      throw UsageError(message: "'--git' is for a file.", command: "audit")
    }
    if arguments.graph != nil, tool != nil || isJSON {
      throw UsageError(
        message: "'--graph' is for an artifact, a file or a session, in place of JSON.",
        command: "audit")
    }
  }

  private static func print(
    _ graph: Audit.Graph, _ language: GraphPage.Language, _ terminal: Terminal
  ) throws {
    try terminal.output(Array(GraphPage(graph: graph).text(language).utf8))
  }

  /// Prints what a tool made, in the form that the arguments ask for.
  private static func print(_ found: Audit.Page, _ arguments: Arguments<Self>, _ context: Context)
    throws
  {
    let terminal = context.terminal
    guard arguments.csv else {
      let now = context.now()
      return try ListPage(found.products, next: found.next) { $1.write($0) }.print(
        arguments.page, terminal, nothing: "Nothing was made by a tool of that name.",
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
  /// The names of the columns in the CSV table, which are those of the JSON members.
  fileprivate static let names = [
    "artifact", "mediaType", "size", "session", "position", "label", "tool", "callID", "basis",
    "state", "created", "recording",
  ]

  fileprivate var cells: [String] {
    [
      artifact?.description ?? "", mediaType?.description ?? "", size.map { "\($0)" } ?? "",
      session.text, position.map { "\($0)" } ?? "", label, tool ?? "",
      callID ?? "", basis.rawValue, state.rawValue, RFC3339.text(created.microseconds),
      "\(recording)",
    ]
  }
}

/// The subject of an audit: an artifact, a session, or a file.
private enum Subject {
  case artifact(Artifact.ID)
  case session(Session)
  case file(AuditedFile)

  init(_ name: String, in store: Store) async throws {
    let locator = Locator(store: store)
    if let id = Artifact.ID(name) {
      self = .artifact(try await store.artifact(id).id)
    } else if name == Locator.last {
      self = .session(try await locator.session(name))
    } else if FileManager.default.fileExists(atPath: name) {
      self = .file(try AuditedFile(name))
    } else if name.contains("/") || name.hasPrefix("sha256:") {
      self = try await Self.labelled(name, locator)
    } else {
      self = try await Self.named(name, locator)
    }
  }

  /// Finds the subject for a name with a slash, which may separate a session from a label, or be part of a missing file's path.
  private static func labelled(_ name: String, _ locator: Locator) async throws -> Subject {
    do {
      return .artifact(try await locator.artifact(name).artifact.id)
    } catch  where error is KeepsakeError || error is CommandError {
      let file = AuditedFile(gone: name)
      guard try await locator.store.calls(naming: file.url).calls.isEmpty else {
        return .file(file)
      }
      throw error
    }
  }

  /// Finds the subject for digits, which may begin the id of a session or the id of an artifact.
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
