import KeepsakeFiles
import KeepsakeSQLite

/// A row of `source_piece`: a record of a foreign file, or a part of the envelope around its records.
struct SourcePiece: Equatable {
  /// The bytes without the spans; nil once they are erased.
  var content: PieceBytes?
  /// The first entry that the record says; nil for a part of the envelope.
  var entry: EntryID?
  /// The number of entries that the record says.
  var entries: Int
  /// The places of base64 in the record, in their order.
  var spans: [Span]

  /// A place of base64, whose bytes are an artifact.
  struct Span: Equatable {
    /// The place in the bytes that are left without the spans.
    let position: Int
    let artifact: Int64
    let spelling: Base64Spelling
  }

  /// The facts about a piece without its bytes.
  struct Outline {
    let id: Int64
    /// The first entry that the piece says; nil for a part of the envelope.
    let entry: EntryID?
    let entries: Int
    let isErased: Bool

    /// The positions of the entries; nil if there are none, or more than a session can have.
    var positions: Range<Int>? {
      guard let first = entry?.position, entries > 0, entries <= EntryID.maximumPosition - first + 1
      else { return nil }
      return first..<(first + entries)
    }
  }

  init(content: PieceBytes?, entry: EntryID?, entries: Int, spans: [Span]) {
    self.content = content
    self.entry = entry
    self.entries = entries
    self.spans = spans
  }

  /// Reads the row of a piece.
  init(_ id: Int64, in db: Tables) throws {
    let find = try db.connection.prepare(
      "SELECT bytes, size, entry, entries, spans FROM source_piece WHERE id = ?")
    find.bind(id)
    guard try find.step() else {
      throw KeepsakeError(.damaged, "Piece \(id) of a source is gone.", remedy: .verify)
    }
    let stored = find.optionalBytes()
    let size = try find.optionalInt(in: .size)
    content = stored.map { PieceBytes($0, size: size) }
    entry = find.optionalEntryID()
    entries = try find.int(in: .entries)
    spans = try SpanText.spans(of: id, in: find)
  }

  /// Inserts the row, and counts the artifacts of the spans among those of the source.
  func insert(_ id: Int64, listing artifacts: inout SourceArtifacts, in db: Tables) throws {
    let insert = try db.connection.prepare(
      "INSERT INTO source_piece (id, entry, entries, spans, size, bytes) VALUES (?, ?, ?, ?, ?, ?)"
    )
    insert.bind(id)
    insert.bind(entry)
    insert.bind(entries)
    insert.bind(SpanText.make(spans))
    insert.bind(content?.size)
    if let content {
      try insert.run(binding: content.stored)
    } else {
      insert.bindNull()
      try insert.run()
    }
    artifacts.add(spans, of: PieceID.source(id))
  }
}
