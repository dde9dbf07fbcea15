import KeepsakeSQLite

extension SearchTable {
  /// Marks the entries of a session from a position on for the search index.
  ///
  /// A session has one mark at most. While it stands, this changes nothing.
  func enqueue(from position: Int, of session: Int64) throws {
    let mark = try db.prepare(
      "INSERT OR IGNORE INTO search_queue (session, position) VALUES (?, ?)")
    mark.bind(session)
    mark.bind(position)
    try mark.run()
  }
}
