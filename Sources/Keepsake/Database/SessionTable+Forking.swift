#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

extension SessionTable {
  /// A fork that is about to be inserted.
  struct NewFork {
    let id: UUID
    let created: Int64
    /// The session whose title and origin the fork takes over.
    let source: Int64
    /// The session that becomes the fork's parent.
    let parent: Int64
    /// The first position of the fork's own.
    let position: Int
    /// The chain of the parent, as it stands where the fork begins.
    let point: Chain
    let turns: Int
    /// The title; nil to take over the one of the source.
    let title: String?
    let foreignID: String?
    let presence: SessionPresence
  }

  /// Inserts a fork, and returns its number.
  func insert(_ fork: NewFork) throws -> Int64 {
    let insert = try db.prepare(
      """
      INSERT INTO session (id, created, updated, parent, fork_position, fork_change, fork_head,
        reach, entries, turns, head, title, origin, overlapping, foreign_id, state)
      SELECT ?1, ?2, ?2, ?3, ?4, ?5, ?6, ?4, ?4, ?7, ?8, coalesce(?9, title), origin, overlapping,
        ?11, ?12
      FROM session
      WHERE number = ?10
      """)
    insert.bind(fork.id.bytes)
    insert.bind(fork.created)
    insert.bind(fork.parent)
    insert.bind(fork.position)
    insert.bind(fork.point.count)
    insert.bind(fork.point.head)
    insert.bind(fork.turns)
    insert.bind(
      Chain(forking: fork.point, at: fork.position, into: fork.id.bytes, created: fork.created)
        .head)
    insert.bind(fork.title)
    insert.bind(fork.source)
    insert.bind(fork.foreignID)
    insert.bind(fork.presence)
    try insert.run()
    return try Tables(db).insertedRow(in: .session)
  }

  /// Returns the ids of the sessions that a session shares entries with, the nearest first; none for a session that is not here.
  func origins(of session: UUID) throws -> [UUID] {
    guard let number = try standing(of: session.bytes)?.number else { return [] }
    return try lineage(of: number).pieces.dropLast().reversed().map { piece in
      guard let id = try id(of: piece.session) else {
        throw KeepsakeError.lostIdentifier(ofSession: piece.session)
      }
      return id
    }
  }

  /// Finds the head that a session's chain had at a change, which a fork kept that was made then.
  func forkHead(of parent: Int64, at change: Int) throws -> SHA256Digest? {
    let find = try db.prepare(
      "SELECT fork_head FROM session WHERE parent = ? AND fork_change = ? LIMIT 1")
    find.bind(parent)
    find.bind(change)
    return try find.step() ? find.digest() : nil
  }

  /// Finds the session from which a fork was made, and the change at which that was; nil for a session that is no fork.
  func origin(of session: Int64) throws -> (parent: Int64, change: Int)? {
    let find = try db.prepare(
      "SELECT parent, coalesce(fork_change, 0) FROM session WHERE number = ? AND parent IS NOT NULL"
    )
    find.bind(session)
    guard try find.step() else { return nil }
    return (try find.int64(in: .session), try find.int(in: .count))
  }

  /// Copies the tags and the metadata of a session to another.
  func copyDescription(from session: Int64, to other: Int64) throws {
    for sql: StaticString in [
      "INSERT INTO tag (tag, session) SELECT tag, ?2 FROM tag WHERE session = ?1 AND entry = -1",
      """
      INSERT INTO session_metadata (session, json)
      SELECT ?2, json FROM session_metadata WHERE session = ?1
      """,
    ] {
      let copy = try db.prepare(sql)
      copy.bind(session)
      copy.bind(other)
      try copy.run()
    }
  }
}
