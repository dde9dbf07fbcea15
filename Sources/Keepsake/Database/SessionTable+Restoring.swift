#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// The rows of sessions that are restored from a copy.
extension SessionTable {
  /// Returns the number, the state and the changes of the session with an id; nil if there is none.
  func standing(of id: [UInt8]) throws -> (number: Int64, state: Int, changes: Int)? {
    let find = try db.prepare("SELECT number, state, changes FROM session WHERE id = ?")
    find.bind(id)
    guard try find.step() else { return nil }
    return (try find.int64(in: .session), find.int(), try find.int(in: .count))
  }

  /// The number of a session, and the place where it was forked.
  struct Place {
    let number: Int64
    let parent: Int64?
    let position: Int?
    let change: Int?
  }

  /// Finds the number of the session with an id, and where it was forked; nil if there is none.
  func place(of id: UUID) throws -> Place? {
    let find = try db.prepare(
      "SELECT number, parent, fork_position, fork_change FROM session WHERE id = ?")
    find.bind(id.bytes)
    guard try find.step() else { return nil }
    return Place(
      number: try find.int64(in: .session), parent: try find.optionalInt64(in: .session),
      position: find.optionalInt(), change: find.optionalInt())
  }

  /// Returns the highest number of a session; 0 if there is none.
  func highestNumber() throws -> Int64 {
    try db.integer("SELECT max(number) FROM session") ?? 0
  }

  /// Inserts a session from its record, hidden until all of its rows are there, and returns its number.
  ///
  /// - Parameters:
  ///   - record: The session's record.
  ///   - parent: The number of the session that it was forked from.
  ///   - head: The session's chain.
  ///   - number: The number that the session gets; nil for any that is free.
  func insertRestored(
    _ record: CopyRecord, parent: Int64?, head: CopyManifest.Head, as number: Int64? = nil
  ) throws -> Int64 {
    let insert = try db.prepare(
      """
      INSERT INTO session (number, id, created, updated, state, parent, fork_position, fork_change, fork_head,
        entries, changes, head, origin, foreign_id, title, reach)
      VALUES (?, ?, ?, ?, 3, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    insert.bind(number)
    insert.bind(record.bytes("id"))
    insert.bind(record.integer("created"))
    insert.bind(record.integer("updated"))
    insert.bind(parent)
    insert.bind(record.integer("fork.position"))
    insert.bind(record.integer("fork.change"))
    insert.bind(record.bytes("fork.head"))
    insert.bind(record.int("fork.position") ?? 0)
    insert.bind(head.changes)
    insert.bind(head.head)
    insert.bind(record.text("origin"))
    insert.bind(record.text("foreignID"))
    insert.bind(record.text("title"))
    insert.bind(record.integer("fork.position"))
    try insert.run()
    return try Tables(db).insertedRow(in: .session)
  }

  /// Notes which open store restores a session.
  func markRestoring(_ session: Int64, by owner: [UInt8]) throws {
    let mark = try db.prepare("INSERT INTO restoring (session, owner) VALUES (?, ?)")
    mark.bind(session)
    mark.bind(owner)
    try mark.run()
  }

  /// Returns whether an open store restores a session.
  func isRestoring(_ session: Int64, by owner: [UInt8]) throws -> Bool {
    let find = try db.prepare("SELECT 1 FROM restoring WHERE session = ? AND owner = ?")
    find.bind(session)
    find.bind(owner)
    return try find.step()
  }
}

// MARK: - Derived values

extension SessionTable {
  /// The values that are derived from the restored rows of one session alone, without what it shares.
  struct RestoredSums {
    /// The number of turns; in a purged session the turn of the last entry.
    let turns: Int
    let attachments: Int
    let bytes: Int64
    /// The number of the first attachment with an image.
    let image: Int64?
    let hasOverlappingTurns: Bool
  }

  /// Sums up the restored rows of a session.
  ///
  /// - Parameters:
  ///   - session: The number of the session.
  ///   - last: The id of the session's last own entry; nil without one.
  ///   - isPurged: Whether the session is there only for its forks.
  /// - Returns: The sums; nil without a row.
  func restoredSums(of session: Int64, last: EntryID?, isPurged: Bool) throws -> RestoredSums? {
    let content = Entry.Attachment.Direction.content.code
    let find = try db.prepare(
      """
      SELECT
        max(coalesce((SELECT max(turn) FROM entry WHERE id BETWEEN ?2 AND ?3), 0),
          coalesce((SELECT max(turn) FROM attachment WHERE session = ?1), 0),
          coalesce((SELECT max(turn) FROM invocation WHERE session = ?1), 0),
          coalesce((SELECT max(number) FROM turn WHERE session = ?1), 0)),
        (SELECT count(*) FROM attachment WHERE session = ?1 AND direction <> ?5 AND recorded > 0),
        coalesce((SELECT sum(length(CAST(body AS BLOB))) FROM entry WHERE id BETWEEN ?2 AND ?3), 0)
          + coalesce(
            (SELECT sum(length(CAST(body AS BLOB))) FROM revision WHERE entry BETWEEN ?2 AND ?3), 0)
          + coalesce((SELECT sum(f.size) FROM attachment AS a
            JOIN artifact AS f ON f.number = a.artifact WHERE a.session = ?1), 0),
        (SELECT min(a.number) FROM attachment AS a JOIN artifact AS f ON f.number = a.artifact
          WHERE a.session = ?1 AND f.type BETWEEN 'image/' AND 'image0'),
        coalesce((SELECT turn FROM entry WHERE id = ?6), 0),
        EXISTS (SELECT 1 FROM turn WHERE session = ?1 AND lane IS NOT NULL)
          OR EXISTS (SELECT 1 FROM entry WHERE id BETWEEN ?2 AND ?3 AND kind = ?4 AND lane IS NOT NULL)
          OR EXISTS (SELECT 1 FROM session AS s JOIN session AS p ON p.number = s.parent
            WHERE s.number = ?1 AND p.overlapping = 1)
      """)
    find.bind(session)
    find.bind(EntryID(session: session, position: 0))
    find.bind(EntryID(session: session, position: EntryID.maximumPosition))
    find.bind(Entry.Kind.prompt.code)
    find.bind(content)
    find.bind(last)
    guard try find.step() else { return nil }
    return RestoredSums(
      turns: try find.int(isPurged ? 4 : 0, in: .count), attachments: find.int(1),
      bytes: try find.int64(2, in: .total), image: find.optionalInt64(3),
      hasOverlappingTurns: find.bool(5))
  }

  /// Stores the values that were derived for a session that is still hidden.
  func settle(_ facts: RestoredFacts) throws {
    let update = try db.prepare(
      """
      UPDATE session SET entries = ?, turns = ?, attachments = ?, labels = ?, bytes = ?, model = ?,
        preview = ?, cover = ?, overlapping = ? WHERE number = ? AND state = 3
      """)
    update.bind(facts.entries)
    update.bind(facts.turns)
    update.bind(facts.attachments)
    update.bind(facts.labels)
    update.bind(facts.bytes)
    update.bind(facts.model)
    update.bind(facts.preview)
    update.bind(facts.cover)
    update.bind(facts.hasOverlappingTurns)
    update.bind(facts.session)
    try update.run()
  }
}

// MARK: - Showing

extension SessionTable {
  /// Returns whether a shown session has a number and an id.
  func isShown(_ session: Int64, id: [UInt8]) throws -> Bool {
    let find = try db.prepare("SELECT 1 FROM session WHERE number = ? AND id = ? AND state = 0")
    find.bind(session)
    find.bind(id)
    return try find.step()
  }

  /// Shows a restored session, or makes it one that is there only for its forks; returns false if it is gone.
  func showRestored(_ session: Int64, isPurged: Bool) throws -> Bool {
    let show = try db.prepare(
      "UPDATE session SET state = ? WHERE number = ? AND state = 3 RETURNING 1")
    show.bind(isPurged ? 2 : 0)
    show.bind(session)
    guard try show.step() else { return false }
    show.reset()
    for sql: StaticString in [
      "UPDATE source SET owner = NULL WHERE number IN (SELECT source FROM import WHERE session = ?)",
      "DELETE FROM restoring WHERE session = ?",
    ] {
      let statement = try db.prepare(sql)
      statement.bind(session)
      try statement.run()
    }
    return true
  }

  /// Returns the number of entries of a session; nil if there is no such session.
  func entryCount(of session: Int64) throws -> Int? {
    let find = try db.prepare("SELECT entries FROM session WHERE number = ?")
    find.bind(session)
    return try find.step() ? find.int() : nil
  }

  /// Returns whether a session has forks.
  func hasForks(_ session: Int64) throws -> Bool {
    let find = try db.prepare("SELECT 1 FROM session WHERE parent = ?")
    find.bind(session)
    return try find.step()
  }
}
