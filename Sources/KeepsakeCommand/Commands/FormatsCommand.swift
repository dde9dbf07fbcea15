import Keepsake
import KeepsakeFormats

/// The command `keepsake formats`, which lists the formats for import and export.
struct FormatsCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "formats",
    summary: "List the formats that can be imported and exported.",
    discussion: """
      A file's format is recognised by its content. A file of some formats can be given back: if a
      session did not change since its import, it is exported byte for byte. With FORMAT, the
      command tells how a file of the format is recognised, and what an export to it may leave out.
      Each export counts what it did leave out.
      """,
    examples: [
      ("keepsake formats", "List all formats."),
      ("keepsake formats anthropic", "Tell how a format is recognised, and what it can't express."),
    ],
    isPaged: true)

  let format = Operand.optional("FORMAT", "The name of a format.")
  let json = Flag.json

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let terminal = context.terminal
    if let name = arguments.format {
      guard let format = Format(named: name) else {
        throw UsageError(
          message: "There is no format '\(name)'. 'keepsake formats' lists them.",
          command: "formats")
      }
      if arguments.json {
        try terminal.json { $0.write(format) }
      } else {
        try Self.print(format, terminal)
      }
      return .done
    }
    if arguments.json {
      try terminal.json { $0.array(Format.all) { $1.write($0) } }
      return .done
    }
    var table = TextTable([
      .init(heading: "FORMAT", style: .code), .init(heading: "WHAT IT IS", gives: true),
      .init(heading: "READ"), .init(heading: "WRITTEN"), .init(heading: "FILES", leaves: 1),
    ])
    for format in Format.all {
      table.add([
        ([format.name] + format.otherNames).joined(separator: ", "), format.title,
        format.canRead ? "yes" : "",
        format.canWrite ? "yes" : format.givesBack ? "given back" : "",
        format.fileExtensions.map { ".\($0)" }.joined(separator: " "),
      ])
    }
    try table.print(terminal)
    return .done
  }

  private static func written(_ format: Format) -> String {
    let givenBack = "what came from it is given back as it stood"
    return switch (format.canWrite, format.givesBack) {
    case (true, true): "yes, so that the program can go on; \(givenBack)"
    case (true, false): "yes"
    case (false, true): "no; \(givenBack)"
    case (false, false): "no"
    }
  }

  /// Prints everything that is known of one format.
  private static func print(_ format: Format, _ terminal: Terminal) throws {
    var facts = [("format", ([format.name] + format.otherNames).joined(separator: ", "))]
    facts.append(("what it is", format.title))
    facts.append(("read", format.sign.map { "yes, known by \($0)" } ?? "no"))
    facts.append(("written", written(format)))
    if format.canWrite {
      let kinds = Losses.Kind.allCases.filter(format.leavesOut.contains).map(\.title)
      let lines = kinds.isEmpty ? ["nothing"] : kinds
      facts += lines.enumerated().map { ($0 == 0 ? "leaves out" : "", $1) }
    }
    facts.append(("files", format.fileExtensions.map { ".\($0)" }.joined(separator: " ")))
    try terminal.facts(facts)
  }
}

extension JSONWriter {
  fileprivate mutating func write(_ format: Format) {
    beginObject()
    fixed("name", format.name)
    strings("otherNames", format.otherNames)
    fixed("title", format.title)
    key("read")
    bool(format.canRead)
    key("written")
    bool(format.canWrite)
    key("givenBack")
    bool(format.givesBack)
    strings("fileExtensions", format.fileExtensions)
    if let sign = format.sign { fixed("sign", sign) }
    strings("leavesOut", Losses.Kind.allCases.filter(format.leavesOut.contains).map(\.rawValue))
    endObject()
  }
}
