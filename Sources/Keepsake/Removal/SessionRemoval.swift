#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// Removes what a deleted session held, a bounded piece at a time, and leaves what its forks show.
///
/// A session with forks stays as *purged*: it is not listed and can't be opened, and has no title, turns, drafts and tags.
/// The rows that its forks show stay. The links of all other rows go to `change`, where they are digests alone: so the
/// session's chain still verifies, and the forks can show where they came from.
struct SessionRemoval {
  let number: Int64
  let change: Change
  var removed = Removal()
  var unused = UnusedArtifacts()

  var db: Tables { change.db }
  var room: RemovalRoom
  var freed: Int64 = 0
  var isShared = false
  /// The first position that no fork shows.
  private var end = 0
  /// Where the session was forked from its parent; nil where it is no fork.
  private var fork: Fork?

  private struct Fork {
    let parent: Int64
    /// Whether the parent was deleted, too, or goes together with this session.
    let isOrphan: Bool
    let position: Int
    let change: Int
    /// The position below which this session needs its parent's entries.
    let reach: Int
  }

  init(_ number: Int64, room: RemovalRoom, in change: Change) {
    self.number = number
    self.room = room
    self.change = change
  }

  var firstUnshared: Int64 { EntryID(session: number, position: end).rawValue }

  /// Removes rows, as many as there is room for, and with the last of them the mark in `removing`.
  /// - Returns: The targets of the next steps: this session while there is more of it; then the files that it was imported
  ///   from, and its parent, if that was deleted and is needed less now.
  mutating func step() throws -> [RemovalStep.Target] {
    guard try findShare() else {
      try Clearing.unmark(number, in: db)
      return []
    }
    // Entries come first: taking them out of the search index needs what is attached to them.
    try removeEntries()
    if room.isLeft { try removeAttachments() }
    if room.isLeft { try removeInvocations() }
    try unused.removeRows(countingIn: &removed, in: db)
    if isShared { try countFreed() }
    for (find, delete) in Self.many where room.isLeft { try removeMany(find, delete) }
    if room.isLeft, !isShared { try removeMany(Self.links.find, Self.links.delete) }
    guard room.isLeft else { return [.session(number)] }
    for sql in Self.small { try run(sql) }
    let reach = isShared ? try settle() : 0
    var next: [RemovalStep.Target] = []
    if let fork, fork.isOrphan, try isNeededLess(fork, reach: reach) {
      try Clearing.mark(fork.parent, in: db)
      next.append(.session(fork.parent))
    }
    try Clearing.unmark(number, in: db)
    if !isShared { next += try removeSession() }
    return next
  }

  /// Reads which entries the forks of the session show; false when the session is not one that goes.
  ///
  /// The `reach` of a fork says how far the fork, and any fork of it, shows this session, also where the fork was deleted.
  /// So the forks of forks need not be read.
  private mutating func findShare() throws -> Bool {
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
    guard try find.step() else { return false }
    let parent = try find.optionalInt64(in: .session)
    let isOrphan = find.bool()
    let position = find.int()
    let change = find.int()
    let reach = find.int()
    fork = parent.map {
      Fork(parent: $0, isOrphan: isOrphan, position: position, change: change, reach: reach)
    }
    isShared = find.bool()
    end = max(fork?.position ?? 0, find.int())
    guard (0...EntryID.maximumPosition + 1).contains(end) else {
      throw KeepsakeError(
        .damaged,
        "Session number \(number) was forked at a position that no session has.", remedy: .verify
      )
    }
    return true
  }

  /// Tells whether the parent of a fork has something that only this fork needed until now.
  private func isNeededLess(_ fork: Fork, reach: Int) throws -> Bool {
    guard reach < fork.reach || !isShared else { return false }
    // Another fork of the parent that reaches as far, and shows as many changes, needs all that this one needed.
    let find = try db.prepare(
      """
      SELECT 1 FROM session WHERE parent = ?1 AND reach >= ?2 AND fork_change >= ?3
        AND number <> ?4 LIMIT 1
      """)
    find.bind(fork.parent)
    find.bind(fork.reach)
    find.bind(fork.change)
    find.bind(number)
    return try !find.step()
  }

  private func run(_ sql: StaticString) throws {
    let statement = try db.prepare(sql)
    statement.bind(number)
    try statement.run()
  }

  /// Keeps the link of a row that goes, where the chain is still needed.
  func archive(operation: Int, change: Int, position: Int, digest: SHA256Digest?) throws {
    guard isShared else { return }
    let insert = try db.prepare(
      """
      INSERT OR IGNORE INTO change (session, number, operation, position, digest)
      VALUES (?, ?, ?, ?, ?)
      """)
    insert.bind(number)
    insert.bind(change)
    insert.bind(operation)
    insert.bind(position)
    insert.bind(digest)
    try insert.run()
  }
}

// MARK: - The rest

extension SessionRemoval {
  private typealias Many = (find: StaticString, delete: StaticString)

  /// The rows that belong to the session itself, and that no fork shows: a statement finds them, another removes one.
  private static let many: [Many] = [
    (
      "SELECT p.rowid, length(p.text) FROM draft AS d JOIN draft_piece AS p ON p.draft = d.number WHERE d.session = ?",
      "DELETE FROM draft_piece WHERE rowid = ?2 AND ?1"
    ),
    (
      "SELECT number, length(template) FROM draft WHERE session = ?",
      "DELETE FROM draft WHERE number = ?2 AND ?1"
    ),
    (
      "SELECT number, 0 FROM turn WHERE session = ?",
      "DELETE FROM turn WHERE session = ?1 AND number = ?2"
    ),
  ]
  /// The links of rows that are gone. While the session has forks, they need these links.
  private static let links: Many = (
    "SELECT number, 0 FROM change WHERE session = ?",
    "DELETE FROM change WHERE session = ?1 AND number = ?2"
  )
  private static let small: [StaticString] = [
    "DELETE FROM saved WHERE session = ?",
    "DELETE FROM running WHERE session = ?",
    "DELETE FROM session_metadata WHERE session = ?",
    "DELETE FROM tag WHERE session = ? AND entry = -1",
  ]

  private mutating func removeMany(_ select: StaticString, _ sql: StaticString) throws {
    let find = try db.prepare(select)
    find.bind(number)
    var rows: [Int64] = []
    while try room.isLeft && find.step() {
      rows.append(find.int64())
      room.take(bytes: find.int64())
    }
    find.reset()
    for row in rows {
      let delete = try db.prepare(sql)
      delete.bind(number)
      delete.bind(row)
      try delete.run()
    }
  }

  private func countFreed() throws {
    let update = try db.prepare("UPDATE session SET bytes = max(0, bytes - ?2) WHERE number = ?1")
    update.bind(number)
    update.bind(freed)
    try update.run()
  }

  /// Sets the counters of a purged session to the rows that are left of it.
  /// - Returns: The position below which the session needs its parent's entries now.
  private func settle() throws -> Int {
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

  /// Removes the session's own row; gives the files that it was imported from, which go now.
  private mutating func removeSession() throws -> [RemovalStep.Target] {
    try SearchIndex.remove(session: number, in: db)
    let sources = try SourceRemoval.release(sourcesOf: number, in: db)
    let delete = try db.prepare("DELETE FROM session WHERE number = ? RETURNING id")
    delete.bind(number)
    if try delete.step(), let id = UUID(bytes: delete.bytes()) {
      try change.log(.purge, [("session", .string(id.uuidString.lowercased()))])
    }
    removed.sessions += 1
    return sources.map { .source($0) }
  }
}
