#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Files
import SQLite

/// Removes what a deleted session held, a bounded piece at a time, and leaves what its forks show.
///
/// A session with forks stays as *purged*: not listed, not to be opened, without title, turns, drafts and tags. Of its
/// rows the forks' share stays. The links of the others go to `change`, so that its chain still verifies, and the forks
/// can show where they came from; they hold digests alone.
struct SessionRemoval {
  let number: Int64
  let change: Change
  private(set) var removed = Removal()
  private(set) var unused = UnusedArtifacts()

  private var db: Connection { change.db }
  private var room: Int
  private var freed: Int64 = 0
  private var isShared = false
  /// The first position that no fork shows.
  private var end = 0
  private var purgedParent: Int64?

  init(_ number: Int64, limit: Int, in change: Change) {
    self.number = number
    self.change = change
    room = limit
  }

  private var firstUnshared: Int64 { EntryID(session: number, position: end).rawValue }

  /// Removes rows up to the limit.
  /// - Returns: The session to go on with: this one while there is more of it, then its parent, if that is purged too and
  ///   may be needed less now; nil when all is done.
  mutating func step() throws -> Int64? {
    guard try findShare() else { return nil }
    // Entries come first: taking them out of the search index needs what is attached to them.
    try removeEntries()
    if room > 0 { try removeAttachments() }
    if room > 0 { try removeInvocations() }
    try unused.removeRows(countingIn: &removed, in: db)
    try Self.forgetLostCovers(below: number, in: db)
    guard room > 0 else { return number }
    try removeDrafts()
    for sql in Self.small { try run(sql) }
    if isShared { try settle() } else { try removeSession() }
    return purgedParent
  }

  /// Looks at what the forks show; false when the session is not a deleted one.
  private mutating func findShare() throws -> Bool {
    let find = try db.prepare(
      text: """
        SELECT EXISTS (SELECT 1 FROM session WHERE parent = ?1),
          max(coalesce(s.fork_position, 0), (\(Self.heirs) SELECT coalesce(max(position), 0) FROM heir
            WHERE state < 2)), p.number
        FROM session AS s LEFT JOIN session AS p ON p.number = s.parent AND p.state = 2
        WHERE s.number = ?1 AND s.state = 2
        """)
    find.bind(number, at: 1)
    guard try find.step() else { return false }
    isShared = find.bool(0)
    end = find.int(1)
    purgedParent = find.optionalInt64(2)
    return true
  }

  /// The forks of session ?1, and below those that were deleted too theirs: up to which position each shows what it has
  /// of ?1, and which changes of that. A fork of a fork that is shown shows no more than that does.
  private static let heirs = """
    WITH RECURSIVE heir (number, position, change, state) AS (
      SELECT number, fork_position, fork_change, state FROM session WHERE parent = ?1
      UNION ALL
      SELECT f.number, min(heir.position, f.fork_position), heir.change, f.state
      FROM heir JOIN session AS f ON f.parent = heir.number WHERE heir.state = 2)
    """

  private func run(_ sql: StaticString) throws {
    let statement = try db.prepare(sql)
    statement.bind(number, at: 1)
    try statement.run()
  }

  /// Keeps the link of a row that goes, where the chain is still needed.
  private func archive(operation: Int, change: Int, position: Int, digest: SHA256Digest?) throws {
    guard isShared else { return }
    let insert = try db.prepare(
      """
      INSERT OR IGNORE INTO change (session, number, operation, position, digest)
      VALUES (?, ?, ?, ?, ?)
      """)
    insert.bind(number, at: 1)
    insert.bind(change, at: 2)
    insert.bind(operation, at: 3)
    insert.bind(position, at: 4)
    insert.bind(digest, at: 5)
    try insert.run()
  }
}

// MARK: - Rows of which there can be many

extension SessionRemoval {
  private mutating func removeAttachments() throws {
    let find = try db.prepare(
      text: """
        \(Self.heirs)
        SELECT a.number, a.artifact, a.operation, a.change, a.entry, a.digest,
          (SELECT size FROM artifact WHERE number = a.artifact), a.direction, a.recorded
        FROM attachment AS a WHERE a.session = ?1
          AND NOT EXISTS (SELECT 1 FROM heir WHERE heir.state < 2
            AND a.entry & 16777215 < heir.position AND a.recorded <= heir.change)
        LIMIT ?2
        """)
    find.bind(number, at: 1)
    find.bind(room, at: 2)
    var found: [(number: Int64, entry: EntryID?)] = []
    while try find.step() {
      let entry = find.optionalInt64(4).map(EntryID.init(rawValue:))
      found.append((find.int64(0), entry))
      unused.add(find.optionalInt64(1))
      freed += find.int64(6)
      if find.int(7) != Entry.Attachment.Direction.content.code { removed.attachments += 1 }
      try archive(
        operation: find.int(2), change: find.int(3), position: find.int(8),
        digest: find.digest(5))
    }
    for (attachment, entry) in found {
      try unused.add(inputsOf: attachment, in: db)
      if let entry, entry.session == number, entry.rawValue < firstUnshared {
        try SearchIndex.changing(entry, in: db) { try delete(attachment: attachment) }
      } else {
        try delete(attachment: attachment)
      }
    }
    room -= found.count
  }

  private func delete(attachment: Int64) throws {
    for sql: StaticString in [
      "DELETE FROM derivation WHERE attachment = ?", "DELETE FROM attachment WHERE number = ?",
    ] {
      let delete = try db.prepare(sql)
      delete.bind(attachment, at: 1)
      try delete.run()
    }
  }

  private mutating func removeInvocations() throws {
    let find = try db.prepare(
      """
      SELECT number, operation, change, digest, recorded FROM invocation AS i WHERE session = ?1
        AND NOT EXISTS (SELECT 1 FROM attachment WHERE invocation = i.number)
        AND (call_entry IS NULL OR call_entry >= ?2)
      LIMIT ?3
      """)
    find.bind(number, at: 1)
    find.bind(isShared ? firstUnshared : 0, at: 2)
    find.bind(room, at: 3)
    var numbers: [Int64] = []
    while try find.step() {
      numbers.append(find.int64(0))
      try archive(
        operation: find.int(1), change: find.int(2), position: find.int(4),
        digest: find.digest(3))
    }
    for invocation in numbers {
      let delete = try db.prepare("DELETE FROM invocation WHERE number = ?")
      delete.bind(invocation, at: 1)
      try delete.run()
    }
    room -= numbers.count
  }

  /// Removes entries from the end, so that the positions of what is left stay dense.
  private mutating func removeEntries() throws {
    let last = EntryID(session: number, position: EntryID.maximumPosition).rawValue
    let find = try db.prepare(
      """
      SELECT id, operation, change, digest, coalesce(length(CAST(body AS BLOB)), 0),
        (SELECT coalesce(sum(length(CAST(body AS BLOB))), 0) FROM revision WHERE entry = e.id), key
      FROM entry AS e WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT ?
      """)
    find.bind(firstUnshared, at: 1)
    find.bind(last, at: 2)
    find.bind(room, at: 3)
    var first: Int64?
    var count = 0
    while try find.step() {
      let entry = EntryID(rawValue: find.int64(0))
      first = entry.rawValue
      count += 1
      freed += find.int64(4) + find.int64(5)
      try archive(
        operation: find.int(1), change: find.int(2),
        position: entry.position, digest: find.digest(3))
      if !find.isNull(6) { try EntryKeys.removed(entry, with: find.span(6), in: db) }
    }
    guard let first else { return }
    try SourceRemoval.erase(
      EntryID(rawValue: first)...EntryID(rawValue: last), leaving: &unused, in: db)
    try SearchIndex.remove(session: number, from: EntryID(rawValue: first).position, in: db)
    for sql: StaticString in [
      "DELETE FROM revision WHERE entry BETWEEN ?2 AND ?3 AND ?1",
      "DELETE FROM tool_call WHERE entry BETWEEN ?2 AND ?3 AND ?1",
      "DELETE FROM tag WHERE session = ?1 AND entry BETWEEN ?2 AND ?3",
      "DELETE FROM entry WHERE id BETWEEN ?2 AND ?3 AND ?1",
    ] {
      let delete = try db.prepare(sql)
      delete.bind(number, at: 1)
      delete.bind(first, at: 2)
      delete.bind(last, at: 3)
      try delete.run()
    }
    removed.entries += count
    room -= count
  }
}

// MARK: - The rest

extension SessionRemoval {
  /// What belongs to the session itself, and no fork shows.
  private static let small: [StaticString] = [
    "DELETE FROM turn WHERE session = ?",
    "DELETE FROM saved WHERE session = ?",
    "DELETE FROM session_metadata WHERE session = ?",
    "DELETE FROM tag WHERE session = ? AND entry = -1",
  ]

  private func removeDrafts() throws {
    try run("DELETE FROM draft_piece WHERE draft IN (SELECT number FROM draft WHERE session = ?)")
    try run("DELETE FROM draft WHERE session = ?")
  }

  /// Makes the counters of a purged session those of what is left of it.
  private func settle() throws {
    let update = try db.prepare(
      """
      UPDATE session SET entries = min(entries, ?2), bytes = max(0, bytes - ?3),
        attachments = (SELECT count(*) FROM attachment WHERE session = ?1 AND direction <> ?4),
        turns = coalesce((SELECT turn FROM entry WHERE id = (?1 << 24) + min(entries, ?2) - 1), 0)
      WHERE number = ?1
      """)
    update.bind(number, at: 1)
    update.bind(end, at: 2)
    update.bind(freed, at: 3)
    update.bind(Entry.Attachment.Direction.content.code, at: 4)
    try update.run()
  }

  private mutating func removeSession() throws {
    try SearchIndex.remove(session: number, in: db)
    try SourceRemoval.remove(sourcesOf: number, leaving: &unused, in: db)
    try unused.removeRows(countingIn: &removed, in: db)
    try run("DELETE FROM change WHERE session = ?")
    let delete = try db.prepare("DELETE FROM session WHERE number = ? RETURNING id")
    delete.bind(number, at: 1)
    if try delete.step(), let id = UUID(bytes: delete.bytes(0)) {
      try change.log(.purge, [("session", .string(id.uuidString.lowercased()))])
    }
    removed.sessions += 1
  }

  /// A fork took its cover over from its parent; one that is gone must not become another attachment's number.
  private static func forgetLostCovers(below session: Int64, in db: Connection) throws {
    let update = try db.prepare(
      """
      WITH RECURSIVE family (number) AS (
        VALUES (?1) UNION SELECT s.number FROM family JOIN session AS s ON s.parent = family.number)
      UPDATE session SET cover = NULL WHERE number IN (SELECT number FROM family)
        AND cover IS NOT NULL AND NOT EXISTS (SELECT 1 FROM attachment WHERE number = cover)
      """)
    update.bind(session, at: 1)
    try update.run()
  }
}
