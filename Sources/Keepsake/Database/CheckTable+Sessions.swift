#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

extension CheckTable {
  /// Counts the sessions, in whatever state they are.
  func sessions() throws -> Int64 { try db.integer("SELECT count(*) FROM session") ?? 0 }

  /// Finds the session that comes next after a number.
  func session(after number: Int64) throws -> Int64? {
    let find = try db.prepare("SELECT number FROM session WHERE number > ? ORDER BY number LIMIT 1")
    find.bind(number)
    return try find.step() ? find.int64() : nil
  }

  /// Reads the row of a session; nil if it was deleted meanwhile.
  func session(_ number: Int64) throws -> CheckedSession? {
    let row = try db.prepare(
      """
      SELECT id, created, state, parent, fork_position, fork_change, fork_head, entries, turns,
        attachments, bytes, changes, head, cover FROM session WHERE number = ?
      """)
    row.bind(number)
    guard try row.step() else { return nil }
    guard let id = UUID(bytes: row.span(0)), let head = row.digest(12) else {
      throw KeepsakeError(.damaged, "Its identifier or its chain's head has not the right length.")
    }
    return CheckedSession(
      id: id, created: row.int64(1), presence: SessionPresence(rawValue: row.int(2)),
      parent: row.optionalInt64(3), forkPosition: row.int(4), forkChange: row.optionalInt(5),
      forkHead: row.digest(6), entries: row.int(7), turns: row.int(8), attachments: row.int(9),
      bytes: row.int64(10), changes: row.int(11), head: head, cover: row.optionalInt64(13))
  }

  /// Counts the entries and changes of a session that was not deleted.
  func extent(of session: Int64) throws -> (entries: Int, changes: Int)? {
    let find = try db.prepare("SELECT entries, changes FROM session WHERE number = ? AND state < ?")
    find.bind(session)
    find.bind(SessionPresence.purged)
    return try find.step() ? (find.int(), find.int()) : nil
  }

  /// Reads the rows of a session's forks.
  /// - Parameter isRestored: Whether forks that are being restored are read, too.
  func forks(of session: Int64, isRestored: Bool) throws -> [CheckedFork] {
    let find = try db.prepare(
      """
      SELECT hex(id), fork_change, fork_head, fork_position, reach, state = ?3,
        (SELECT max(reach) FROM session WHERE parent = f.number)
      FROM session AS f WHERE parent = ?1 AND (state < ?4 OR ?2)
      """)
    find.bind(session)
    find.bind(isRestored)
    find.bind(SessionPresence.purged)
    find.bind(SessionPresence.restoring)
    var forks: [CheckedFork] = []
    while try find.step() {
      forks.append(
        CheckedFork(
          id: find.text(), change: find.int(), head: find.digest(), position: find.int(),
          reach: find.optionalInt(), isPurged: find.bool(), highestReach: find.int()))
    }
    return forks
  }

  /// Passes the links of a session that no row holds any more to a closure, in their order.
  func forEachArchivedLink(
    of session: Int64,
    _ body: (_ number: Int, _ operation: Int, _ position: Int, SHA256Digest?) -> Void
  ) throws {
    let find = try db.prepare(
      "SELECT number, operation, position, digest FROM change WHERE session = ? ORDER BY number")
    find.bind(session)
    while try find.step() { body(find.int(), find.int(), find.int(), find.digest()) }
  }

  /// Finds the number of the last turn of a session that has a row.
  func lastTurn(of session: Int64) throws -> Int? {
    let opened = try db.prepare("SELECT max(number) FROM turn WHERE session = ?")
    opened.bind(session)
    return try opened.step() ? opened.int() : nil
  }
}
