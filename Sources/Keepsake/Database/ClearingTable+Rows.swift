import KeepsakeSQLite

/// A kind of rows that belong to one session itself, and that there can be many of. No fork shows them.
enum OwnRows {
  case draftPieces, drafts, turns
  /// The links of rows that are gone. While the session has forks, they need these links.
  case links

  /// The statement that finds the rows of a session, with the size of each.
  fileprivate var find: StaticString {
    switch self {
    case .draftPieces:
      "SELECT p.rowid, length(p.text) FROM draft AS d JOIN draft_piece AS p ON p.draft = d.number WHERE d.session = ?"
    case .drafts: "SELECT number, length(template) FROM draft WHERE session = ?"
    case .turns: "SELECT number, 0 FROM turn WHERE session = ?"
    case .links: "SELECT number, 0 FROM change WHERE session = ?"
    }
  }

  /// The statement that removes one of the rows.
  fileprivate var delete: StaticString {
    switch self {
    case .draftPieces: "DELETE FROM draft_piece WHERE rowid = ?2 AND ?1"
    case .drafts: "DELETE FROM draft WHERE number = ?2 AND ?1"
    case .turns: "DELETE FROM turn WHERE session = ?1 AND number = ?2"
    case .links: "DELETE FROM change WHERE session = ?1 AND number = ?2"
    }
  }
}

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
    for sql: StaticString in [
      "DELETE FROM saved WHERE session = ?",
      "DELETE FROM running WHERE session = ?",
      "DELETE FROM session_metadata WHERE session = ?",
      "DELETE FROM tag WHERE session = ? AND entry = -1",
    ] {
      let statement = try db.prepare(sql)
      statement.bind(session)
      try statement.run()
    }
  }
}
