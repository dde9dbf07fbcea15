import Keepsake
import KeepsakeFormats

/// `keepsake formats`: what can be taken over, and handed on.
struct FormatsCommand: Command {
  static let declaration = Declaration(
    name: "formats",
    summary: "List the formats that are read and written.",
    discussion: """
      What a file is, its content shows. A format that is given back is not written anew: what came \
      from it, and has not changed since, is exported as it stood.
      """,
    options: [.json],
    examples: [("keepsake formats", "What can be taken over, and handed on.")],
    isPaged: true)

  func run(_ arguments: Arguments, in context: Context) async throws -> ExitCode {
    let terminal = context.terminal
    if arguments.has("--json") {
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
    endObject()
  }
}
