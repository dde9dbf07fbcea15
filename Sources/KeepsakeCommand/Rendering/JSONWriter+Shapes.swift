#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeFormats

// All JSON that `--json` prints is defined here, because scripts rely on it. A member is always there, with null for no value.
// Members may be added, and none may be removed or changed.

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
  mutating func array<Element>(
    _ elements: [Element], _ write: (Element, inout JSONWriter) throws -> Void
  ) rethrows {
    beginArray()
    for element in elements { try write(element, &self) }
    endArray()
  }

  mutating func fixed(_ key: StaticString, _ id: UUID) {
    fixed(key, id.uuidString.lowercased())
  }

  mutating func fixed(_ key: StaticString, _ date: Date?) {
    fixed(key, date.map { RFC3339.text($0.microseconds) })
  }

  mutating func flag(_ key: StaticString, _ value: Bool) {
    self.key(key)
    bool(value)
  }

  // MARK: - Sessions

  mutating func write(_ session: Session.Summary) {
    beginObject()
    fixed("id", session.id)
    fixed("title", session.title)
    fixed("model", session.model)
    fixed("origin", session.origin)
    fixed("created", session.created)
    fixed("updated", session.updated)
    fixed("entries", session.entries)
    fixed("attachments", session.attachments)
    fixed("bytes", session.bytes)
    fixed("preview", session.preview)
    strings("tags", session.tags)
    fixed("forkOf", session.forkOf?.uuidString.lowercased())
    fixed("forkPosition", session.forkPosition)
    endObject()
  }

  /// Writes a session that was found by its title, in the shape of a found entry.
  mutating func write(titled session: Session.Summary) {
    beginObject()
    fixed("session", session.id)
    fixed("title", session.title)
    fixed("position", nil as Int?)
    fixed("entry", nil as String?)
    fixed("kind", "title")
    fixed("callID", nil as String?)
    fixed("created", session.created)
    fixed("snippet", session.title)
    fixed("score", nil as String?)
    endObject()
  }

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

  // MARK: - Artifacts and search

  mutating func write(_ artifact: Artifact.Summary) {
    beginObject()
    fixed("artifact", artifact.id.description)
    fixed("size", artifact.size)
    fixed("mediaType", (artifact.mediaType ?? artifact.sniffedType).description)
    fixed("width", artifact.pixelSize?.width)
    fixed("height", artifact.pixelSize?.height)
    fixed("uses", artifact.uses)
    fixed("tool", artifact.tool)
    fixed("state", artifact.state?.rawValue)
    endObject()
  }

  /// Writes a found entry.
  ///
  /// - Parameters:
  ///   - hit: The found entry.
  ///   - entry: The entry's id.
  mutating func write(_ hit: SearchHit, entry: UUID?) {
    beginObject()
    fixed("session", hit.session)
    fixed("title", hit.title)
    fixed("position", hit.position)
    fixed("entry", entry?.uuidString.lowercased())
    fixed("kind", hit.kind.rawValue)
    fixed("callID", hit.callID)
    fixed("created", hit.created)
    fixed("snippet", hit.snippet.text)
    key("score")
    do { if let score = hit.score { try double(score) } else { null() } } catch { null() }
    endObject()
  }
}
