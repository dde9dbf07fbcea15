#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

// The statements that a search needs.
extension SessionTable {
  /// Finds the number of a shown session, and the number of its entries; nil if there is no such session.
  func searched(_ id: UUID) throws -> (number: Int64, entries: Int)? {
    let find = try db.prepare("SELECT number, entries FROM session WHERE id = ? AND state = 0")
    find.bind(id.bytes)
    return try find.step()
      ? (try find.int64(in: .session), try find.int(in: .entries)) : nil
  }

  /// Reads the id, the title and the state of a session; nil if there is none with the number.
  func named(_ number: Int64) throws -> (id: UUID, title: String?, state: Int)? {
    let find = try db.prepare("SELECT id, title, state FROM session WHERE number = ?")
    find.bind(number)
    guard try find.step(), let id = UUID(bytes: find.span(0)) else { return nil }
    return (id, find.optionalText(1), find.int(2))
  }

  /// Returns the forks of a session that share a position, the oldest first, with the changes that each of them sees.
  func forks(of session: Int64, sharing position: Int) throws -> [(number: Int64, changes: Int)] {
    let find = try db.prepare(
      """
      SELECT number, fork_change FROM session WHERE parent = ? AND fork_position > ?
      ORDER BY number
      """)
    find.bind(session)
    find.bind(position)
    var forks: [(Int64, Int)] = []
    while try find.step() { forks.append((try find.int64(in: .session), find.int())) }
    return forks
  }

  /// Tells whether a session has a tag, or one of its entries that may belong to another session.
  func hasTag(_ tag: String, session: Int64, entry: EntryID) throws -> Bool {
    let find = try db.prepare(
      """
      SELECT EXISTS (SELECT 1 FROM tag WHERE tag = ?1 AND session = ?2 AND entry = -1)
        OR EXISTS (SELECT 1 FROM tag WHERE tag = ?1 AND session = ?3 AND entry = ?4)
      """)
    find.bind(tag)
    find.bind(session)
    find.bind(entry.session)
    find.bind(entry)
    return try find.step() && find.bool()
  }
}
