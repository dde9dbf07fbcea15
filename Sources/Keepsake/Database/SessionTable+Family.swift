#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

extension SessionTable {
  /// Finds a session, its forks and the forks of these: the session first, and each fork behind its parent.
  func family(of session: Int64) throws -> [FamilyMember] {
    let find = try db.prepare(
      """
      WITH RECURSIVE family (number) AS (
        VALUES (?1) UNION SELECT s.number FROM family JOIN session AS s ON s.parent = family.number
        WHERE s.state < ?2)
      SELECT s.number, s.id, s.parent, s.fork_position, s.fork_change
      FROM family JOIN session AS s ON s.number = family.number
      ORDER BY s.number <> ?1, s.number
      """)
    find.bind(session)
    find.bind(SessionPresence.restoring)
    var family: [FamilyMember] = []
    while try find.step() {
      let number = try find.int64(in: .session)
      guard let id = UUID(bytes: find.span()) else {
        throw KeepsakeError.lostIdentifier(ofSession: number)
      }
      family.append(
        FamilyMember(
          number: number, id: id, parent: find.int64(), forkPosition: try find.int(in: .entries),
          forkChange: try find.optionalInt(in: .count)))
    }
    return family
  }

  /// Forgets what was known of the last saving of a session.
  func forgetSaved(_ session: Int64) throws {
    let forget = try db.prepare("DELETE FROM saved WHERE session = ?")
    forget.bind(session)
    try forget.run()
  }
}
