import KeepsakeSQLite

// The table `source_artifact` has a row for each artifact that spans of a source's own pieces name, with the number of
// those pieces.
extension SourceTable {
  /// Notes that more pieces of a source name an artifact.
  func list(_ artifact: Int64, of source: Int64, pieces: Int64) throws {
    let insert = try db.prepare(
      """
      INSERT INTO source_artifact (artifact, source, pieces) VALUES (?, ?, ?)
      ON CONFLICT (artifact, source) DO UPDATE SET pieces = pieces + excluded.pieces
      """)
    insert.bind(artifact)
    insert.bind(source)
    insert.bind(pieces)
    try insert.run()
  }

  /// Notes that fewer pieces of a source name an artifact.
  ///
  /// - Returns: The number of pieces that still name it; nil if it was not listed.
  func unlist(_ artifact: Int64, of source: Int64, pieces: Int64) throws -> Int64? {
    let update = try db.prepare(
      """
      UPDATE source_artifact SET pieces = pieces - ? WHERE artifact = ? AND source = ?
      RETURNING pieces
      """)
    update.bind(pieces)
    update.bind(artifact)
    update.bind(source)
    return try update.step() ? update.int64() : nil
  }

  /// Returns the listed artifacts of a source, as many as there is room to remove.
  func artifacts(of source: Int64, within room: inout RemovalRoom) throws -> [Int64] {
    // The bytes of a file go without the log.
    let find = try db.prepare(
      """
      SELECT x.artifact, iif(f.place = 0, f.size, 0) FROM source_artifact AS x
      LEFT JOIN artifact AS f ON f.number = x.artifact WHERE x.source = ?
      """)
    find.bind(source)
    var artifacts: [Int64] = []
    while try room.isLeft && find.step() {
      artifacts.append(find.int64())
      room.take(rows: 1, bytes: find.int64())
    }
    return artifacts
  }

  /// Takes an artifact off the list of a source.
  func delete(_ artifact: Int64, of source: Int64) throws {
    let delete = try db.prepare("DELETE FROM source_artifact WHERE artifact = ? AND source = ?")
    delete.bind(artifact)
    delete.bind(source)
    try delete.run()
  }
}
