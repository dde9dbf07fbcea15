#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

// The statements that imports need.
extension SessionTable {
  /// Returns the newest sessions that came from a foreign program under an id of that program, the newest first.
  func newest(foreignID: String, origin: String) throws -> [Int64] {
    let find = try db.prepare(
      """
      SELECT number FROM session WHERE foreign_id = ? AND origin = ? AND +state = ?
      ORDER BY number DESC LIMIT 8
      """)
    find.bind(foreignID)
    find.bind(origin)
    find.bind(SessionPresence.shown)
    var numbers: [Int64] = []
    while try find.step() { numbers.append(find.int64()) }
    return numbers
  }

  /// Returns all sessions that came from a foreign program under an id of that program, the newest first.
  func all(foreignID: String, origin: String) throws -> [(id: UUID, number: Int64)] {
    let find = try db.prepare(
      """
      SELECT id, number FROM session WHERE foreign_id = ? AND origin = ? AND +state = ?
      ORDER BY number DESC
      """)
    find.bind(foreignID)
    find.bind(origin)
    find.bind(SessionPresence.shown)
    var found: [(id: UUID, number: Int64)] = []
    while try find.step() {
      if let id = UUID(bytes: find.span()) { found.append((id, find.int64())) }
    }
    return found
  }

  static let thatBeginWithKey: StaticString =
    """
    SELECT DISTINCT s.number FROM entry AS e JOIN session AS s ON s.number = e.id >> ?3
    WHERE e.key IN (?1, ?2) AND e.id & 16777215 < 16 AND +s.state = ?4 LIMIT 2
    """

  /// Returns up to two sessions that have one of two keys among their first entries.
  ///
  /// The index `entry_by_first_key` has only the first entries of sessions. SQLite uses it only for a text with the
  /// condition of the index to the letter, so the numbers stand in the statement.
  func beginning(withKey first: String, or last: String) throws -> [Int64] {
    let find = try db.prepare(Self.thatBeginWithKey)
    find.bind(first)
    find.bind(last)
    find.bind(EntryID.positionBits)
    find.bind(SessionPresence.shown)
    var found: [Int64] = []
    while try find.step() { found.append(find.int64()) }
    return found
  }

  /// Gives a session a title, if it has none or a certain one, and tells whether it had.
  func retitle(_ number: Int64, to title: String, ifTitled former: String?) throws -> Bool {
    let update = try db.prepare(
      "UPDATE session SET title = ?1 WHERE number = ?2 AND (title IS NULL OR title = ?3) RETURNING 1"
    )
    update.bind(title)
    update.bind(number)
    update.bind(former)
    return try update.step()
  }

  /// Shows a session that an import has made.
  func show(_ number: Int64) throws {
    let show = try db.prepare("UPDATE session SET state = ? WHERE number = ? AND +state = ?")
    show.bind(SessionPresence.shown)
    show.bind(number)
    show.bind(SessionPresence.importing)
    try show.run()
  }
}
