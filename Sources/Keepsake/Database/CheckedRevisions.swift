import KeepsakeFiles
import KeepsakeSQLite

/// The rows of the revisions of a session's entries, as they stand in the database, read one at a time.
struct CheckedRevisions: ~Copyable {
  let row: Statement

  /// Prepares the reading of the revisions of a range of entries, in the order of the entries.
  init(_ ids: ClosedRange<EntryID>, in db: Connection) throws {
    row = try db.prepare(
      """
      SELECT entry, number, replaced, status, operation, change, until, digest, salt, body,
        lane, author, model
      FROM revision WHERE entry BETWEEN ? AND ? ORDER BY entry, number
      """)
    row.bind(ids)
  }

  /// Goes to the next row; returns false at the end.
  func next() throws -> Bool { try row.step() }

  var entry: EntryID { row.entryID(0) }
  var number: Int { row.int(1) }
  /// The time at which it was replaced.
  var replaced: Int64 { row.int64(2) }
  var operation: Int { row.int(4) }
  var change: Int { row.int(5) }
  /// The number of the change that replaced it.
  var until: Int { row.int(6) }
  /// The digest that was recorded.
  var digest: SHA256Digest? { row.digest(7) }
  var hasSalt: Bool { !row.isNull(8) }
  /// Tells whether the salt has the size of one.
  var hasWholeSalt: Bool { row.count(8) == Salt.size }
  var hasBody: Bool { !row.isNull(9) }
  var bodySize: Int { row.count(9) }
  /// The digest that the salt and the body have now.
  var bodyDigest: SHA256Digest { CheckedEntries.bodyDigest(row, from: 8) }
}
