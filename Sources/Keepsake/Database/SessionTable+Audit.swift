#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

extension SessionTable {
  /// Reads a session for an audit; nil if it is not there, or has lost its id or its head.
  func audited(_ number: Int64) throws -> AuditedSession? {
    let find = try db.prepare(
      """
      SELECT id, title, state, foreign_id, entries, changes, head FROM session WHERE number = ?
      """)
    find.bind(number)
    guard try find.step(), let id = UUID(bytes: find.bytes(0)), let head = find.digest(6) else {
      return nil
    }
    return AuditedSession(
      id: id, title: find.optionalText(1), isShown: find.int(2) < 2, isForeign: !find.isNull(3),
      entries: try find.int(4, in: .entries), changes: try find.int(5, in: .count), head: head)
  }

  /// Finds the forks of a session that share a position and a change of it, the oldest first.
  func forks(of parent: Int64, sharing position: Int, change: Int) throws -> [(
    number: Int64, isShown: Bool
  )] {
    let find = try db.prepare(
      """
      SELECT number, state FROM session WHERE parent = ? AND fork_position > ? AND fork_change >= ?
      ORDER BY number
      """)
    find.bind(parent)
    find.bind(position)
    find.bind(change)
    var forks: [(number: Int64, isShown: Bool)] = []
    while try find.step() { forks.append((try find.int64(in: .session), find.int() < 2)) }
    return forks
  }

  /// Counts the changes of a session; 0 if the session is not there.
  func changes(of number: Int64) throws -> Int {
    let find = try db.prepare("SELECT changes FROM session WHERE number = ?")
    find.bind(number)
    return try find.step() ? find.int() : 0
  }
}
