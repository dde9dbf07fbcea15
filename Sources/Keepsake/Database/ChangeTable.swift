import KeepsakeSQLite

/// The statements over the links of the sessions' chains that no row holds any more.
struct ChangeTable {
  let db: Connection
}

extension Tables {
  var changes: ChangeTable { ChangeTable(db: connection) }
}

extension ChangeTable {
  /// Inserts a link that its row has lost.
  func insert(_ link: RowLink, at position: Int, of session: Int64) throws {
    let insert = try db.prepare(
      "INSERT INTO change (session, number, operation, position, digest) VALUES (?, ?, ?, ?, ?)")
    insert.bind(session)
    insert.bind(link.change)
    insert.bind(link.operation)
    insert.bind(position)
    insert.bind(link.digest)
    try insert.run()
  }

  /// Finds the number of the change that appended an entry; 0 if there is none.
  func appending(_ entry: EntryID) throws -> Int {
    let find = try db.prepare(
      """
      SELECT change FROM entry WHERE id = ?1 AND operation = ?2
      UNION ALL SELECT number FROM change WHERE session = ?3 AND operation = ?2 AND position = ?4
      LIMIT 1
      """)
    find.bind(entry)
    find.bind(Chain.Operation.append)
    find.bind(entry.session)
    find.bind(entry.position)
    return try find.step() ? find.int(in: .count) : 0
  }
}
