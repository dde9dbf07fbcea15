import KeepsakeSQLite

extension SourceTable {
  /// Returns the pieces of erased records that say entries of a session.
  func erasedPieces(of session: Int64) throws -> [SourcePiece.Outline] {
    let find = try db.prepare(
      "SELECT entry, entries FROM source_piece WHERE entry BETWEEN ? AND ? AND bytes IS NULL")
    find.bind(EntryID.all(of: session))
    var pieces: [SourcePiece.Outline] = []
    while try find.step() {
      pieces.append(.init(id: 0, entry: find.entryID(), entries: find.int(), isErased: true))
    }
    return pieces
  }

  /// Returns the pieces whose records say any of some entries, and are not erased yet, with their spans.
  func pieces(saying entries: ClosedRange<EntryID>) throws
    -> [(id: Int64, spans: [SourcePiece.Span])]
  {
    // A record may say several entries, and begin before the range.
    let find = try db.prepare(
      """
      SELECT id, spans FROM source_piece
      WHERE entry BETWEEN ?1 AND ?2 AND entry + entries > ?3 AND bytes IS NOT NULL
      """)
    find.bind(EntryID(session: entries.lowerBound.session, position: 0))
    find.bind(entries.upperBound)
    find.bind(entries.lowerBound)
    var pieces: [(Int64, [SourcePiece.Span])] = []
    while try find.step() {
      let piece = find.int64()
      pieces.append((piece, try SpanText.spans(of: piece, in: find)))
    }
    return pieces
  }

  /// Erases the bytes of a piece, whose row stays.
  func erase(piece: Int64) throws {
    let update = try db.prepare(
      "UPDATE source_piece SET bytes = NULL, spans = NULL, size = NULL WHERE id = ?")
    update.bind(piece)
    try update.run()
  }

  /// Deletes the pieces of a source from a place in its file on, and returns the spans of each.
  func cut(_ source: Int64, from ordinal: Int) throws -> [[SourcePiece.Span]] {
    let delete = try db.prepare(
      "DELETE FROM source_piece WHERE id >= ? AND id < ? RETURNING id, spans")
    let ids = PieceID.from(ordinal, of: source)
    delete.bind(ids.lowerBound)
    delete.bind(ids.upperBound)
    var spans: [[SourcePiece.Span]] = []
    while try delete.step() {
      spans.append(try SpanText.spans(of: delete.int64(), in: delete))
    }
    return spans
  }

  /// Deletes the first pieces of a source, as many as there is room for.
  func deletePieces(of source: Int64, within room: inout RemovalRoom) throws {
    let ids = PieceID.all(of: source)
    let find = try db.prepare(
      """
      SELECT id, coalesce(length(bytes), 0) + coalesce(length(spans), 0)
      FROM source_piece WHERE id BETWEEN ? AND ? ORDER BY id
      """)
    find.bind(ids.lowerBound)
    find.bind(ids.upperBound)
    var reached: Int64?
    while try room.isLeft && find.step() {
      reached = find.int64()
      room.take(rows: 1, bytes: find.int64())
    }
    find.reset()
    guard let reached else { return }
    let delete = try db.prepare("DELETE FROM source_piece WHERE id BETWEEN ? AND ?")
    delete.bind(ids.lowerBound)
    delete.bind(reached)
    try delete.run()
  }
}
