import Foundation

@testable import Keepsake

/// A format of our own for tests: a line an entry, `key|kind|text`, with base64 behind an `@` as an attachment; lines that
/// begin with `#` say none.
struct LineFormat: SourceReading {
  private var lines: [[UInt8]]
  let facts: SourceFacts

  init(_ file: String, id: String? = nil) {
    facts = SourceFacts(id: id)
    lines = []
    var line: [UInt8] = []
    for byte in file.utf8 {
      line.append(byte)
      if byte == UInt8(ascii: "\n") {
        lines.append(line)
        line = []
      }
    }
    if !line.isEmpty { lines.append(line) }
    lines.reverse()
  }

  static func source(_ file: String, name: String? = "talk.lines", foreignID: String? = nil)
    -> ForeignSource
  {
    ForeignSource(format: "lines", name: name, namesSession: foreignID != nil) {
      LineFormat(file, id: foreignID)
    }
  }

  struct Bad: Error {}

  mutating func next() throws -> SourceRecord? {
    guard let bytes = lines.popLast() else { return nil }
    if bytes.first == UInt8(ascii: "#") { return SourceRecord(bytes) }
    let line = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
    let parts = line.split(separator: "|", omittingEmptySubsequences: false)
    guard parts.count == 3, let kind = Entry.Kind(rawValue: String(parts[1])) else { throw Bad() }
    var entry = Entry(kind, created: Date(timeIntervalSince1970: 1_700_000_000))
    if !parts[0].isEmpty { entry.key = String(parts[0]) }
    var spans: [SourceSpan] = []
    var attachments: [Entry.NewAttachment] = []
    if let at = bytes.firstIndex(of: UInt8(ascii: "@")) {
      entry.segments = [.text(String(decoding: bytes[..<at], as: UTF8.self))]
      let end = bytes.last == UInt8(ascii: "\n") ? bytes.count - 1 : bytes.count
      if let span = SourceSpan(at + 1..<end, in: bytes) { spans.append(span) }
      let source: ArtifactSource =
        if let spelling = Base64Spelling(of: bytes[at + 1..<end]) {
          .spelled(bytes[at + 1..<end], spelling)
        } else {
          .base64(String(decoding: bytes[at + 1..<end], as: UTF8.self))
        }
      attachments = [.init(source, madeBy: .response)]
    } else {
      entry.segments = [.text(String(parts[2]))]
    }
    return SourceRecord(bytes, entries: [.init(entry, attaching: attachments)], spans: spans)
  }
}

extension Session {
  /// The bytes of the newest file that it came from.
  func replayed(_ format: String = "lines") throws -> String? {
    guard let sheet = try sourceSheet(format: format) else { return nil }
    var bytes: [UInt8] = []
    for piece in sheet.pieces { try sheet.replay(piece) { bytes += $0 } }
    return String(decoding: bytes, as: UTF8.self)
  }
}
