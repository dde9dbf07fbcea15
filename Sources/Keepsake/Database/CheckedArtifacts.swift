import KeepsakeSQLite

/// The rows of some artifacts, with the size of the bytes that stand in a row, read one at a time.
struct CheckedArtifacts: ~Copyable {
  private let row: Statement

  /// Prepares the reading of the artifacts after a number.
  init(after number: Int64, atMost count: Int, in db: Connection) throws {
    row = try db.prepare(
      """
      SELECT f.number, f.digest, f.size, f.place, f.type, f.width, f.height, length(b.bytes)
      FROM artifact AS f LEFT JOIN blob AS b ON b.number = f.number
      WHERE f.number > ? ORDER BY f.number LIMIT ?
      """)
    row.bind(number)
    row.bind(count)
  }

  /// Goes to the next row; returns false at the end.
  func next() throws -> Bool { try row.step() }

  var number: Int64 { row.int64(0) }
  /// The number of the bytes that stand in a row; nil if none do.
  var storedSize: Int64? { row.optionalInt64(7) }

  /// Reads the row; throws if it is damaged.
  func artifact() throws -> ArtifactRow { try ArtifactRow(row) }
}
