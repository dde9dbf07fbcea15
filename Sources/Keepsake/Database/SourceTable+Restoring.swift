import KeepsakeSQLite

extension SourceTable {
  /// Inserts a source from the record of its import, and returns its number.
  ///
  /// - Parameters:
  ///   - record: The record of the import.
  ///   - base: The source with whose pieces this one begins.
  ///   - pieces: The number of these pieces.
  ///   - owner: The open store that restores the source, which counts as incomplete until then; nil if it is complete.
  /// - Returns: The number of the source.
  func insertRestored(_ record: CopyRecord, base: Int64?, pieces: Int, owner: [UInt8]?) throws
    -> Int64
  {
    let source = try db.prepare(
      """
      INSERT INTO source (format, name, created, size, digest, base, base_pieces, owner)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """)
    source.bind(record.text("format"))
    source.bind(record.text("fileName"))
    source.bind(record.integer("stored"))
    source.bind(record.integer("size"))
    source.bind(record.bytes("fileDigest"))
    source.bind(base)
    source.bind(pieces)
    source.bind(owner)
    try source.run()
    return try Tables(db).insertedRow(in: .source)
  }
}
