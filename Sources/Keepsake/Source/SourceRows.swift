#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// Where a piece of a source stands in the database: its source's number and its place in one integer.
enum PieceID {
  static let bits: Int64 = 28
  static let limit = 1 << bits

  static func make(source: Int64, ordinal: Int) -> Int64 { source << bits | Int64(ordinal) }

  /// Its place in the file.
  static func ordinal(_ id: Int64) -> Int { Int(id) & (limit - 1) }

  static func source(_ id: Int64) -> Int64 { id >> bits }
}

/// A row of `source`.
struct SourceRow {
  let number: Int64
  let format: String
  let name: String?
  let created: Int64
  let size: Int64
  let digest: SHA256Digest
  let base: Int64?
  let basePieces: Int

  static let columns =
    "s.number, s.format, s.name, s.created, s.size, s.digest, s.base, s.base_pieces"

  init(_ row: borrowing Statement) throws {
    number = try row.int64(in: .source)
    format = row.text()
    name = row.optionalText()
    created = row.int64()
    size = try row.int64(in: .size)
    guard let digest = row.digest() else {
      throw KeepsakeError(.damaged, "Source \(number) has lost its digest.", remedy: .verify)
    }
    self.digest = digest
    base = try row.optionalInt64(in: .source)
    basePieces = try row.int(in: .piece)
  }

  init?(_ number: Int64, in db: Tables) throws {
    let find = try db.prepare(text: "SELECT \(Self.columns) FROM source AS s WHERE s.number = ?")
    find.bind(number)
    guard try find.step() else { return nil }
    try self.init(find)
  }

  /// How many pieces it has, those that it shares included.
  func pieceCount(in db: Tables) throws -> Int {
    let find = try db.prepare(
      "SELECT id FROM source_piece WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1")
    find.bind(PieceID.make(source: number, ordinal: basePieces))
    find.bind(Self.end(of: number))
    return try find.step() ? PieceID.ordinal(find.int64()) + 1 : basePieces
  }

  /// The position of the last entry that a piece of its own says; nil where none says any.
  func lastPosition(in db: Tables) throws -> Int? {
    let find = try db.prepare(
      """
      SELECT id, entry, entries FROM source_piece
      WHERE id >= ? AND id < ? AND entry IS NOT NULL ORDER BY id DESC LIMIT 1
      """)
    find.bind(PieceID.make(source: number, ordinal: basePieces))
    find.bind(Self.end(of: number))
    guard try find.step() else { return nil }
    let last = SourcePiece.Outline(
      id: find.int64(), entry: find.entryID(),
      entries: try find.int(in: .entries), isErased: false)
    return last.positions?.last
  }

  /// Its pieces, in the order of the file: first those that it shares with the file it grew from.
  func pieces(in db: Tables) throws -> [SourcePiece.Outline] {
    var pieces: [SourcePiece.Outline] = []
    for stretch in try stretches(in: db) {
      let find = try db.prepare(
        """
        SELECT id, entry, entries, bytes IS NULL FROM source_piece WHERE id >= ? AND id < ?
        ORDER BY id
        """)
      find.bind(stretch.lowerBound)
      find.bind(stretch.upperBound)
      while try find.step() {
        pieces.append(
          .init(
            id: find.int64(), entry: find.optionalEntryID(),
            entries: try find.int(in: .entries), isErased: find.int() != 0))
      }
    }
    return pieces
  }

  /// The ids of its pieces.
  private func stretches(in db: Tables) throws -> [Range<Int64>] {
    var stretches = [PieceID.make(source: number, ordinal: basePieces)..<Self.end(of: number)]
    var next = base
    var count = basePieces
    var last = number
    while let number = next, count > 0 {
      guard let source = try SourceRow(number, in: db), number < last else {
        throw KeepsakeError(
          .damaged, "Source \(self.number) begins with one that is gone.", remedy: .verify)
      }
      if source.basePieces < count {
        let first = PieceID.make(source: number, ordinal: source.basePieces)
        stretches.append(first..<PieceID.make(source: number, ordinal: count))
      }
      count = min(count, source.basePieces)
      next = source.base
      last = number
    }
    return stretches.reversed()
  }

  private static func end(of number: Int64) -> Int64 {
    PieceID.make(source: number + 1, ordinal: 0)
  }
}

/// A row of `source_piece`.
struct SourcePiece: Equatable {
  /// Without the spans; nil once it is erased.
  var content: PieceBytes?
  var entry: EntryID?
  var entries: Int
  var spans: [Span]

  struct Span: Equatable {
    /// Where in the bytes that are left.
    let position: Int
    let artifact: Int64
    let spelling: Base64Spelling
  }

  /// What there is to know of a piece without its bytes.
  struct Outline {
    let id: Int64
    /// The first entry that it says; nil for a part of the envelope.
    let entry: EntryID?
    let entries: Int
    let isErased: Bool

    /// The positions of the entries that it says; nil where it says none, or not as many as there can be.
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

  init(_ id: Int64, in db: Tables) throws {
    let find = try db.prepare(
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

  /// Inserts its row, and notes the artifacts of its spans as its source's.
  func insert(_ id: Int64, listing artifacts: inout SourceArtifacts, in db: Tables) throws {
    let insert = try db.prepare(
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

  /// All its bytes, as they stood in the file.
  func whole(core: StoreCore) throws -> [UInt8] {
    var whole: [UInt8] = []
    try replay(
      artifact: { number in
        try core.read { db in try core.artifacts.artifact(number: number, core: core, in: db) }
      }, into: { whole += $0 })
    return whole
  }

  /// Hands over its bytes as they stood in the file.
  func replay(
    artifact: (Int64) throws -> Artifact, into take: ([UInt8]) throws -> Void
  ) throws {
    guard let bytes = try content?.unpacked() else {
      throw KeepsakeError(
        .notFound, "A record of the imported file was erased. Export the session without it.")
    }
    var start = 0
    for span in spans {
      guard span.position >= start, span.position <= bytes.count else {
        throw KeepsakeError(
          .damaged, "A span of a source stands outside of its piece.", remedy: .verify)
      }
      if span.position > start { try take(Array(bytes[start..<span.position])) }
      start = span.position
      try span.spell(artifact(span.artifact), into: take)
    }
    if start < bytes.count { try take(Array(bytes[start...])) }
  }
}

extension SourcePiece.Span {
  fileprivate func spell(_ artifact: Artifact, into take: ([UInt8]) throws -> Void) throws {
    var encoder = Base64Spelling.Encoder(spelling)
    var pieces = Artifact.Pieces(artifact, size: Base64Spelling.pieceSize)
    while let piece = try pieces.next() {
      var text: [UInt8] = []
      text.reserveCapacity(piece.count * 4 / 3 + 4)
      encoder.add(piece, to: &text)
      try take(text)
    }
    var text: [UInt8] = []
    encoder.finish(to: &text)
    if !text.isEmpty { try take(text) }
  }
}
