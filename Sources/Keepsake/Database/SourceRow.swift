import KeepsakeFiles
import KeepsakeSQLite

/// A row of `source`: a foreign file that entries were imported from.
struct SourceRow {
  let number: Int64
  let format: String
  let name: String?
  let created: Int64
  let size: Int64
  let digest: SHA256Digest
  /// The source with whose pieces this one begins; nil where it has all pieces itself.
  let base: Int64?
  /// The number of pieces that belong to the base.
  let basePieces: Int

  private static let columns =
    "s.number, s.format, s.name, s.created, s.size, s.digest, s.base, s.base_pieces"

  /// Reads the row of a source; nil if there is none.
  init?(_ number: Int64, in db: Tables) throws {
    let find = try db.connection.prepare(
      text: "SELECT \(Self.columns) FROM source AS s WHERE s.number = ?")
    find.bind(number)
    guard try find.step() else { return nil }
    self.number = try find.int64(in: .source)
    format = find.text()
    name = find.optionalText()
    created = find.int64()
    size = try find.int64(in: .size)
    guard let digest = find.digest() else {
      throw KeepsakeError(.damaged, "Source \(number) has lost its digest.", remedy: .verify)
    }
    self.digest = digest
    base = try find.optionalInt64(in: .source)
    basePieces = try find.int(in: .piece)
  }

  /// Returns the number of pieces, which includes those that belong to the base.
  func pieceCount(in db: Tables) throws -> Int {
    let find = try db.connection.prepare(
      "SELECT id FROM source_piece WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1")
    find.bind(own.lowerBound)
    find.bind(own.upperBound)
    return try find.step() ? PieceID.ordinal(find.int64()) + 1 : basePieces
  }

  /// Returns the position of the last entry in the source's own pieces; nil if they have no entries.
  func lastPosition(in db: Tables) throws -> Int? {
    let find = try db.connection.prepare(
      """
      SELECT id, entry, entries FROM source_piece
      WHERE id >= ? AND id < ? AND entry IS NOT NULL ORDER BY id DESC LIMIT 1
      """)
    find.bind(own.lowerBound)
    find.bind(own.upperBound)
    guard try find.step() else { return nil }
    let last = SourcePiece.Outline(
      id: find.int64(), entry: find.entryID(),
      entries: try find.int(in: .entries), isErased: false)
    return last.positions?.last
  }

  /// Returns the pieces in the order of the file; the pieces of the base come first.
  func pieces(in db: Tables) throws -> [SourcePiece.Outline] {
    var pieces: [SourcePiece.Outline] = []
    for stretch in try stretches(in: db) {
      let find = try db.connection.prepare(
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

  /// Returns the ids of all pieces, in the order of the file.
  private func stretches(in db: Tables) throws -> [Range<Int64>] {
    var stretches = [own]
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

  /// The ids that the source's own pieces can have.
  private var own: Range<Int64> { PieceID.from(basePieces, of: number) }
}
