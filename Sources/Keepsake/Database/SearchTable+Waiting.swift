import KeepsakeSQLite

// The queue has a mark for each session with entries that wait for the index, at the first of them.
extension SearchTable {
  /// Tells whether any entry waits.
  func hasWaiting() throws -> Bool {
    try db.integer("SELECT EXISTS (SELECT 1 FROM search_queue)") == 1
  }

  /// Returns the number of waiting entries, without those of sessions that an import makes.
  func waitingEntries() throws -> Int {
    // The queue comes first in the join, because it has few sessions, however many the store has.
    let waiting = try db.integer(
      """
      SELECT sum(s.entries - q.position) FROM search_queue AS q
      CROSS JOIN session AS s ON s.number = q.session WHERE s.state <> 1
      """)
    return Int(waiting ?? 0)
  }

  /// Returns the first marks, in the order of the sessions.
  func marks(_ limit: Int) throws -> [EntryID] {
    let find = try db.prepare("SELECT session, position FROM search_queue ORDER BY session LIMIT ?")
    find.bind(limit)
    var marks: [EntryID] = []
    while try find.step() {
      marks.append(
        EntryID(
          session: try find.int64(in: .session), position: try find.int(in: .position)))
    }
    return marks
  }

  /// Moves the mark of a session.
  func moveMark(of session: Int64, to position: Int) throws {
    let update = try db.prepare("UPDATE search_queue SET position = ? WHERE session = ?")
    update.bind(position)
    update.bind(session)
    try update.run()
  }

  /// Removes the mark of a session.
  func removeMark(of session: Int64) throws {
    let delete = try db.prepare("DELETE FROM search_queue WHERE session = ?")
    delete.bind(session)
    try delete.run()
  }

  /// Removes the mark of a session if it is at a position or behind it.
  func removeMark(of session: Int64, from start: Int) throws {
    let delete = try db.prepare("DELETE FROM search_queue WHERE session = ? AND position >= ?")
    delete.bind(session)
    delete.bind(start)
    try delete.run()
  }
}
