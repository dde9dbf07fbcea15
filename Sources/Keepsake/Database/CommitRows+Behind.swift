import KeepsakeFiles
import KeepsakeSQLite

/// Rows of a deleted session that are behind the session's chain.
///
/// A store may learn of the last changes of a deleted session from their links alone, because the hub has nothing else of them any more. A
/// row that one of these links is about stays as it was, if a fork needs it.
extension CommitRows {
  /// Returns the positions of the entries that still have a content which a later change erased.
  func entriesErasedLater(of session: Int64) throws -> [Int] {
    let find = try db.prepare(
      """
      SELECT DISTINCT c.position FROM change AS c JOIN entry AS e ON e.id = ?2 + c.position
      WHERE c.session = ?1 AND c.operation = ?3 AND c.number > e.change AND e.body IS NOT NULL
      ORDER BY c.position
      """)
    find.bind(session)
    find.bind(EntryID(session: session, position: 0))
    find.bind(Chain.Operation.eraseEntry)
    var positions: [Int] = []
    while try find.step() { positions.append(find.int()) }
    return positions
  }

  /// Returns the attachments that a later change erased, and that have not lost everything yet, by the changes that recorded them.
  func attachmentsErasedLater(of session: Int64) throws -> [Int] {
    let find = try db.prepare(
      """
      SELECT DISTINCT a.recorded FROM change AS c JOIN attachment AS a ON a.session = c.session AND a.recorded = c.position
      WHERE c.session = ?1 AND c.operation = ?2 AND c.number > a.change AND a.state <> ?3
      ORDER BY a.recorded
      """)
    find.bind(session)
    find.bind(Chain.Operation.erase)
    find.bind(Entry.Attachment.State.erased.code)
    var recorded: [Int] = []
    while try find.step() { recorded.append(find.int()) }
    return recorded
  }

  /// Lets go of a link that is kept for a row, because the row itself gets it.
  func forgetArchived(_ number: Int, of session: Int64) throws {
    let delete = try db.prepare("DELETE FROM change WHERE session = ? AND number = ?")
    delete.bind(session)
    delete.bind(number)
    try delete.run()
  }
}
