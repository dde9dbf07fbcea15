import KeepsakeSQLite

extension SourcePiece {
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

  /// Inserts the row.
  func insert(_ id: Int64, in db: Tables) throws {
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
  }
}
