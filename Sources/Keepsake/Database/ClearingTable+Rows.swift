import KeepsakeSQLite

extension ClearingTable {
  /// Removes rows of one kind from a session, and passes the size of each to a closure, until that returns false.
  func remove(_ kind: OwnRows, of session: Int64, _ goesOn: (_ bytes: Int64) -> Bool) throws {
    let find = try db.prepare(kind.find)
    find.bind(session)
    var rows: [Int64] = []
    while try find.step() {
      rows.append(find.int64())
      guard goesOn(find.int64()) else { break }
    }
    find.reset()
    for row in rows {
      let delete = try db.prepare(kind.delete)
      delete.bind(session)
      delete.bind(row)
      try delete.run()
    }
  }

  /// Removes the rows of a session that there are few of: its saved state, open turns and runs, metadata and tags.
  func removeFewRows(of session: Int64) throws {
    let sessions = SessionTable(db: db)
    try sessions.forgetSaved(session)
    try sessions.deleteMetadata(of: session)
    try sessions.deleteOwnTags(of: session)
    let running = try db.prepare("DELETE FROM running WHERE session = ?")
    running.bind(session)
    try running.run()
  }
}
