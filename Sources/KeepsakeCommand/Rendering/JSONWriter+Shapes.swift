#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeFormats

// The JSON that only the command prints. `Keepsake/Shapes` has the shapes that other programs get, too.

extension Terminal {
  /// Prints a value as JSON on one line.
  func json(_ write: (inout JSONWriter) throws -> Void) throws {
    var writer = JSONWriter(reserving: 4096)
    try write(&writer)
    try json(writer.bytes)
  }

  /// Prints JSON bytes on one line, even if foreign JSON in them has line breaks.
  func json(_ bytes: [UInt8]) throws { try json(part: bytes + [UInt8(ascii: "\n")]) }

  /// Prints a part of a value, which may include the end of the line.
  func json(part bytes: [UInt8]) throws {
    let end = bytes.last == UInt8(ascii: "\n") ? bytes.suffix(1) : []
    let line = JSON.onOneLine(Array(bytes.dropLast(end.count)))
    try output((isTerminal ? Self.escapingControls(line) : line) + end)
  }
}

extension JSONWriter {
  // MARK: - Imports

  /// Writes the report of an import.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - sources: The origins of the report's sessions.
  ///   - files: The files that were taken in because calls name them; nil if none were looked for.
  mutating func write(
    _ report: ImportReport, from sources: [Importing.Source], _ files: TakenFiles?
  ) {
    beginObject()
    key("sessions")
    array(Array(zip(report.sessions, sources))) { found, writer in
      let (session, source) = found
      writer.beginObject()
      writer.fixed("id", session.id)
      writer.fixed("title", session.title)
      writer.fixed("entries", session.entries)
      writer.fixed("attachments", session.attachments)
      writer.fixed("format", session.format)
      writer.flag("new", session.new)
      writer.fixed("added", session.added)
      writer.fixed("revised", session.revised)
      writer.key("parting")
      if let parting = session.parting {
        writer.beginObject()
        writer.fixed("session", parting.session)
        writer.fixed("position", parting.position)
        writer.endObject()
      } else {
        writer.null()
      }
      writer.fixed("file", source.file)
      writer.endObject()
    }
    key("artifacts")
    beginObject()
    fixed("new", report.artifacts.new)
    fixed("known", report.artifacts.known)
    fixed("bytes", report.artifacts.bytes)
    endObject()
    key("skipped")
    array(report.skipped) { skipped, writer in
      writer.beginObject()
      writer.fixed("path", skipped.path)
      writer.fixed("line", skipped.line)
      writer.fixed("reason", skipped.reason)
      writer.flag("kept", skipped.isKept)
      writer.endObject()
    }
    key("files")
    write(files)
    endObject()
  }

}
