#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

// Deleting a session reads and writes these columns of its row.
extension SessionTable {
  /// Makes a session one that is not listed and can't be opened, and forgets what is said of it.
  /// - Returns: The number of the session; nil if there is none with the id.
  func hide(_ id: UUID) throws -> Int64? {
    let update = try db.prepare(
      """
      UPDATE session SET state = ?2, title = NULL, preview = NULL, model = NULL, origin = NULL,
        foreign_id = NULL, cover = NULL WHERE id = ?1 AND state < ?2 RETURNING number
      """)
    update.bind(id.bytes)
    update.bind(SessionPresence.purged)
    guard try update.step() else { return nil }
    return try update.int64(in: .session)
  }

  /// Returns the ids of the sessions that were deleted and are there for their forks.
  func purged() throws -> [UUID] {
    let find = try db.prepare("SELECT id FROM session WHERE +state = ?")
    find.bind(SessionPresence.purged)
    var ids: [UUID] = []
    while try find.step() { if let id = UUID(bytes: find.bytes()) { ids.append(id) } }
    return ids
  }

  /// Makes a session that an import fills one that goes; returns whether it was such a session.
  func hideImported(_ number: Int64) throws -> Bool {
    let hide = try db.prepare(
      "UPDATE session SET state = ? WHERE number = ? AND +state = ? RETURNING 1")
    hide.bind(SessionPresence.purged)
    hide.bind(number)
    hide.bind(SessionPresence.importing)
    return try hide.step()
  }

  /// Reads which entries the forks of a session show; nil when the session is not one that goes.
  ///
  /// The `reach` of a fork says how far the fork, and any fork of it, shows this session, also where the fork was deleted.
  /// So the forks of forks need not be read.
  func removed(_ number: Int64) throws -> RemovedSession? {
    let find = try db.prepare(
      """
      SELECT s.parent, p.state = ?2 OR p.state = ?3
          AND NOT EXISTS (SELECT 1 FROM restoring WHERE session = p.number),
        s.fork_position, s.fork_change, s.reach,
        EXISTS (SELECT 1 FROM session WHERE parent = ?1),
        (SELECT max(reach) FROM session WHERE parent = ?1)
      FROM session AS s LEFT JOIN session AS p ON p.number = s.parent
      WHERE s.number = ?1 AND (+s.state = ?2
        OR +s.state = ?3 AND EXISTS (SELECT 1 FROM removing WHERE session = ?1))
      """)
    find.bind(number)
    find.bind(SessionPresence.purged)
    find.bind(SessionPresence.restoring)
    guard try find.step() else { return nil }
    let parent = try find.optionalInt64(in: .session)
    let isOrphan = find.bool()
    let position = find.int()
    let change = find.int()
    let reach = find.int()
    let hasForks = find.bool()
    return RemovedSession(
      parent: parent, isOrphan: isOrphan, forkChange: change, reach: reach, hasForks: hasForks,
      end: max(parent == nil ? 0 : position, find.int()))
  }

  /// Tells whether a session has a fork, besides one, that needs at least as many of its entries and changes.
  func hasFork(of parent: Int64, besides fork: Int64, reach: Int, change: Int) throws -> Bool {
    let find = try db.prepare(
      """
      SELECT 1 FROM session WHERE parent = ?1 AND reach >= ?2 AND fork_change >= ?3
        AND number <> ?4 LIMIT 1
      """)
    find.bind(parent)
    find.bind(reach)
    find.bind(change)
    find.bind(fork)
    return try find.step()
  }

  /// Takes a number of bytes from those that a session counts.
  func subtract(bytes: Int64, from number: Int64) throws {
    let update = try db.prepare("UPDATE session SET bytes = max(0, bytes - ?2) WHERE number = ?1")
    update.bind(number)
    update.bind(bytes)
    try update.run()
  }

  /// Takes covers that are gone from a session and its forks, which have the cover of their parent: another attachment
  /// could get the number.
  func forgetLostCovers(below session: Int64) throws {
    let update = try db.prepare(
      """
      WITH RECURSIVE family (number) AS (
        VALUES (?1) UNION SELECT s.number FROM family JOIN session AS s ON s.parent = family.number)
      UPDATE session SET cover = NULL WHERE number IN (SELECT number FROM family)
        AND cover IS NOT NULL AND NOT EXISTS (SELECT 1 FROM attachment WHERE number = cover)
      """)
    update.bind(session)
    try update.run()
  }

  /// Sets the counters of a deleted session to the rows that are left of it.
  /// - Parameter end: The first position that no fork shows.
  /// - Returns: The position below which the session needs its parent's entries now.
  func settle(_ number: Int64, end: Int) throws -> Int {
    let update = try db.prepare(
      """
      UPDATE session SET entries = min(entries, ?2),
        attachments = (SELECT count(*) FROM attachment WHERE session = ?1 AND direction <> ?3),
        turns = coalesce((SELECT turn FROM entry WHERE id = ?4 + min(entries, ?2) - 1), 0),
        reach = min(reach, (SELECT max(reach) FROM session AS f WHERE f.parent = ?1))
      WHERE number = ?1 RETURNING reach
      """)
    update.bind(number)
    update.bind(end)
    update.bind(Entry.Attachment.Direction.content.code)
    update.bind(EntryID(session: number, position: 0))
    return try update.step() ? update.int() : 0
  }

  /// Lowers how far a deleted session reaches into its parent to what its forks show. A session that is shown is left alone.
  func lowerReach(ofDeleted number: Int64) throws {
    let update = try db.prepare(
      """
      UPDATE session SET reach = min(reach, (SELECT max(reach) FROM session WHERE parent = ?1))
      WHERE number = ?1 AND +state = ?2 AND EXISTS (SELECT 1 FROM session WHERE parent = ?1)
      """)
    update.bind(number)
    update.bind(SessionPresence.purged)
    try update.run()
  }

  /// Raises how far a deleted session, and those that it was forked from, reach into their parents, because a fork came that shows more.
  /// A session that is shown reaches as far as it can.
  ///
  /// - Parameters:
  ///   - number: The session that the fork was made from.
  ///   - position: The position up to which the fork shares entries.
  func raiseReach(of number: Int64, to position: Int) throws {
    var next: Int64? = number
    while let number = next {
      let update = try db.prepare(
        """
        UPDATE session SET reach = min(fork_position, ?2)
        WHERE number = ?1 AND reach < min(fork_position, ?2) RETURNING parent
        """)
      update.bind(number)
      update.bind(position)
      next = try update.step() ? update.optionalInt64(in: .session) : nil
    }
  }

  /// Removes the row of a session; returns its id, if the row was there.
  func delete(_ number: Int64) throws -> UUID? {
    let delete = try db.prepare("DELETE FROM session WHERE number = ? RETURNING id")
    delete.bind(number)
    return try delete.step() ? UUID(bytes: delete.bytes()) : nil
  }
}
