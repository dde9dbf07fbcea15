#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

// Restorings and imports, which an open store may leave unfinished.
extension ClearingTable {
  /// Finds the open stores that restore or import, as the rows say.
  func owners() throws -> [[UInt8]] {
    let find = try db.prepare(
      """
      SELECT owner FROM restoring UNION SELECT owner FROM source WHERE owner IS NOT NULL
      """)
    var owners: [[UInt8]] = []
    while try find.step() { owners.append(find.bytes()) }
    return owners.filter { $0 != Self.nobody }
  }

  /// Marks all sessions that an open store restores as ones that go.
  func giveUpRestoring(by owner: [UInt8]) throws {
    for sql: StaticString in [
      "INSERT OR IGNORE INTO removing (session) SELECT session FROM restoring WHERE owner = ?",
      "DELETE FROM restoring WHERE owner = ?",
    ] {
      let statement = try db.prepare(sql)
      statement.bind(owner)
      try statement.run()
    }
  }

  /// Marks a session as one that goes, if the open store with an id restores it.
  func giveUpRestoring(_ session: Int64, by owner: [UInt8]) throws {
    for sql: StaticString in [
      """
      INSERT OR IGNORE INTO removing (session)
      SELECT session FROM restoring WHERE session = ? AND owner = ?
      """,
      "DELETE FROM restoring WHERE session = ? AND owner = ?",
    ] {
      let statement = try db.prepare(sql)
      statement.bind(session)
      statement.bind(owner)
      try statement.run()
    }
  }

  /// Finds the sources of an open store that belong to no import.
  func sourcesWithoutImport(of owner: [UInt8]) throws -> [Int64] {
    let find = try db.prepare(
      """
      SELECT number FROM source AS s WHERE owner = ?
        AND NOT EXISTS (SELECT 1 FROM import WHERE source = s.number)
      """)
    find.bind(owner)
    var sources: [Int64] = []
    while try find.step() { sources.append(find.int64()) }
    return sources
  }

  /// Finds the sessions of interrupted deletions, restorings and imports, with the number of their own entries.
  ///
  /// A session that is restored or imported has the id of the open store that does it.
  func interrupted() throws -> [(entries: Int, owner: UUID?)] {
    let find = try db.prepare(
      """
      SELECT s.entries - coalesce(s.fork_position, 0), NULL FROM removing AS m
        JOIN session AS s ON s.number = m.session
      UNION ALL
      SELECT s.entries - coalesce(s.fork_position, 0), r.owner FROM restoring AS r
        JOIN session AS s ON s.number = r.session
      UNION ALL
      SELECT s.entries - coalesce(s.fork_position, 0), f.owner FROM source AS f
        JOIN session AS s ON s.number = f.target AND +s.state = ? WHERE f.owner IS NOT NULL
      """)
    find.bind(SessionPresence.importing)
    var rows: [(entries: Int, owner: UUID?)] = []
    while try find.step() {
      rows.append((find.int(), UUID(bytes: find.span())))
    }
    return rows
  }
}
