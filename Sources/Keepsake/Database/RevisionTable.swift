import KeepsakeSQLite

/// The statements over the table of earlier contents of entries.
struct RevisionTable {
  let db: Connection
}

extension Tables {
  var revisions: RevisionTable { RevisionTable(db: connection) }
}

extension RevisionTable {
  /// Inserts the present content of an entry as its newest revision.
  /// - Parameters:
  ///   - entry: The entry.
  ///   - replaced: The time at which other content takes its place.
  ///   - change: The number of the change up to which the content stood.
  func insert(contentOf entry: EntryID, replaced: Int64, until change: Int) throws {
    let insert = try db.prepare(
      """
      INSERT INTO revision
        (entry, number, replaced, until, status, lane, author, model, operation, change, salt, digest, body)
      SELECT id, (SELECT coalesce(max(number), 0) + 1 FROM revision WHERE entry = ?1), ?2, ?3,
        status, lane, author, model, operation, change, salt, digest, body FROM entry WHERE id = ?1
      """)
    insert.bind(entry)
    insert.bind(replaced)
    insert.bind(change)
    try insert.run()
  }

  /// Finds the time at which an entry was last revised; nil if it never was.
  func last(of entry: EntryID) throws -> Int64? {
    let find = try db.prepare(
      "SELECT replaced FROM revision WHERE entry = ? ORDER BY number DESC LIMIT 1")
    find.bind(entry)
    return try find.step() ? find.int64() : nil
  }

  /// Counts the revisions of each entry in a range, by position. Entries without revisions are left out.
  /// - Parameters:
  ///   - range: The ids of the entries.
  ///   - changes: The number of the last change that counts.
  func counts(in range: ClosedRange<EntryID>, through changes: Int) throws
    -> [(position: Int, count: Int)]
  {
    let find = try db.prepare(
      """
      SELECT entry, count(*) FROM revision WHERE entry BETWEEN ? AND ? AND until <= ?
      GROUP BY entry
      """)
    find.bind(range)
    find.bind(changes)
    var counts: [(Int, Int)] = []
    while try find.step() { counts.append((find.entryID().position, find.int())) }
    return counts
  }
}
