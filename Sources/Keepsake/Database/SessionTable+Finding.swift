#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

extension SessionTable {
  /// Finds the number of a session by its id; nil if there is none, or if it was deleted.
  func number(of id: UUID) throws -> Int64? {
    let find = try db.prepare("SELECT number FROM session WHERE id = ? AND state < 2")
    find.bind(id.bytes)
    return try find.step() ? find.int64(in: .session) : nil
  }

  /// Returns the state of the session with an id, also of a deleted one; nil if there is none.
  func state(of id: UUID) throws -> Int? {
    let find = try db.prepare("SELECT state FROM session WHERE id = ?")
    find.bind(id.bytes)
    return try find.step() ? find.int() : nil
  }

  /// Finds the shown sessions in a range of ids, the newest first up to a limit, and counts all of them.
  func candidates(
    from first: [UInt8], to last: [UInt8], limit: Int
  ) throws -> (found: [(id: UUID, title: String?)], count: Int) {
    let find = try db.prepare(
      """
      SELECT id, coalesce(title, preview), count(*) OVER () FROM session
      WHERE state = 0 AND id BETWEEN ? AND ? ORDER BY updated DESC, number DESC LIMIT ?
      """)
    find.bind(first)
    find.bind(last)
    find.bind(limit)
    var found: [(id: UUID, title: String?)] = []
    var count = 0
    while try find.step() {
      count = find.int(2)
      if let id = UUID(bytes: find.bytes(0)) { found.append((id, find.optionalText(1))) }
    }
    return (found, count)
  }

  /// Lists the tags of shown sessions in alphabetical order, with the number of sessions that have each.
  func tags() throws -> [(tag: String, sessions: Int)] {
    let find = try db.prepare(
      """
      SELECT tag, count(*) FROM tag JOIN session AS s ON s.number = session AND s.state = 0
      WHERE entry = -1 GROUP BY tag ORDER BY tag
      """)
    var tags: [(String, Int)] = []
    while try find.step() { tags.append((find.text(), try find.int(in: .count))) }
    return tags
  }

  /// Lists all different tags that sessions and entries have here, also those of sessions that are not shown.
  ///
  /// The cost grows with the number of different tags, and not with the number of their uses.
  func differentTags() throws -> [String] {
    let find = try db.prepare(
      """
      WITH RECURSIVE different (tag) AS (
        SELECT min(tag) FROM tag
        UNION ALL
        SELECT (SELECT min(t.tag) FROM tag AS t WHERE t.tag > different.tag) FROM different
        WHERE different.tag IS NOT NULL)
      SELECT tag FROM different WHERE tag IS NOT NULL
      """)
    var tags: [String] = []
    while try find.step() { tags.append(find.text()) }
    return tags
  }

  /// Inserts a session without entries that is no fork, and returns its number.
  ///
  /// - Parameters:
  ///   - id: The id of the session, which must be free.
  ///   - title: The title; nil for none.
  ///   - origin: The program or format that the session came from.
  ///   - foreignID: The session's id in that program.
  ///   - created: The time of the session's beginning.
  ///   - isHidden: Whether the session stays hidden until an import ends.
  ///   - head: The head of the session's chain.
  func insert(
    _ id: UUID, title: String?, origin: String?, foreignID: String?, created: Int64,
    isHidden: Bool, head: SHA256Digest
  ) throws -> Int64 {
    let insert = try db.prepare(
      """
      INSERT INTO session (id, created, updated, head, title, origin, foreign_id, state)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """)
    insert.bind(id.bytes)
    insert.bind(created)
    insert.bind(created)
    insert.bind(head)
    insert.bind(title)
    insert.bind(origin)
    insert.bind(foreignID)
    insert.bind(isHidden)
    try insert.run()
    return try Tables(db).insertedRow(in: .session)
  }
}
