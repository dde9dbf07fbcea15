import KeepsakeFiles
import KeepsakeSQLite

/// Removes the rows of a session that there can be many of: attachments, invocations and entries.
extension SessionRemoval {
  mutating func removeAttachments() throws {
    let find = try db.prepare(
      """
      SELECT a.number, a.artifact, a.operation, a.change, a.entry, a.digest, f.size, a.direction,
        a.recorded, f.place
      FROM attachment AS a LEFT JOIN artifact AS f ON f.number = a.artifact WHERE a.session = ?1
        AND NOT EXISTS (SELECT 1 FROM session WHERE parent = ?1
          AND reach > a.entry & ?2 AND fork_change >= a.recorded)
      """)
    find.bind(number)
    find.bind(EntryID.maximumPosition)
    var found: [(number: Int64, entry: EntryID?)] = []
    while try room.isLeft && find.step() {
      let attachment = find.int64()
      unused.add(find.optionalInt64())
      let operation = find.int()
      let change = find.int()
      let entry = find.optionalEntryID()
      let digest = find.digest()
      let size = try find.int64(in: .size)
      let direction = find.int()
      let recorded = find.int()
      let place = find.optionalInt()
      found.append((attachment, entry))
      freed.addBytes(size)
      room.take(bytes: place == Artifact.Place.row.rawValue ? size : 0)
      if direction != Entry.Attachment.Direction.content.code { removed.attachments += 1 }
      try archive(operation: operation, change: change, position: recorded, digest: digest)
    }
    find.reset()
    for (attachment, entry) in found {
      try unused.add(inputsOf: attachment, in: db)
      if let entry, entry.session == number, entry.rawValue < firstUnshared {
        try Trace.index.mark(in: db)
        try SearchIndex.changing(entry, in: db) { try delete(attachment: attachment) }
      } else {
        try delete(attachment: attachment)
      }
    }
    // Attachments that a fork shows stay. So the cover of no listed session is among the removed ones.
    if isShared, !found.isEmpty { try Self.forgetLostCovers(below: number, in: db) }
  }

  private func delete(attachment: Int64) throws {
    for sql: StaticString in [
      "DELETE FROM derivation WHERE attachment = ?", "DELETE FROM attachment WHERE number = ?",
    ] {
      let delete = try db.prepare(sql)
      delete.bind(attachment)
      try delete.run()
    }
  }

  mutating func removeInvocations() throws {
    let find = try db.prepare(
      """
      SELECT number, operation, change, digest, recorded,
        coalesce(length(arguments), 0) + coalesce(length(output), 0)
      FROM invocation AS i WHERE session = ?1
        AND NOT EXISTS (SELECT 1 FROM attachment WHERE invocation = i.number)
        AND (call_entry IS NULL OR call_entry >= ?2)
      """)
    find.bind(number)
    find.bind(isShared ? firstUnshared : 0)
    var numbers: [Int64] = []
    while try room.isLeft && find.step() {
      numbers.append(find.int64())
      let operation = find.int()
      let change = find.int()
      let digest = find.digest()
      let recorded = find.int()
      room.take(bytes: find.int64())
      try archive(operation: operation, change: change, position: recorded, digest: digest)
    }
    find.reset()
    for invocation in numbers {
      let delete = try db.prepare("DELETE FROM invocation WHERE number = ?")
      delete.bind(invocation)
      try delete.run()
    }
  }

  /// Removes entries from the end, so that the positions of what is left stay dense.
  mutating func removeEntries() throws {
    let last = EntryID.all(of: number).upperBound.rawValue
    let find = try db.prepare(
      """
      SELECT id, operation, change, digest, coalesce(length(CAST(body AS BLOB)), 0),
        (SELECT coalesce(sum(length(CAST(body AS BLOB))), 0) FROM revision WHERE entry = e.id), key
      FROM entry AS e WHERE id BETWEEN ? AND ? ORDER BY id DESC
      """)
    find.bind(firstUnshared)
    find.bind(last)
    var first: Int64?
    while try room.isLeft && find.step() {
      let entry = find.entryID()
      let operation = find.int()
      let change = find.int()
      let digest = find.digest()
      let body = find.int64()
      let revisions = find.int64()
      let key = find.position()
      first = entry.rawValue
      removed.entries += 1
      // The record that the entry was imported from says about the same.
      for bytes in [body, revisions] {
        freed.addBytes(bytes)
        room.take(rows: 0, bytes: bytes)
        room.take(rows: 0, bytes: bytes)
      }
      room.take()
      try archive(operation: operation, change: change, position: entry.position, digest: digest)
      if !find.isNull(key) { try EntryKeys.removed(entry, with: find.span(key), in: db) }
    }
    find.reset()
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
      delete.bind(number)
      delete.bind(first)
      delete.bind(last)
      try delete.run()
    }
  }

  /// Takes covers that are gone from a session and its forks, which have the cover of their parent: another attachment
  /// could get the number.
  private static func forgetLostCovers(below session: Int64, in db: Tables) throws {
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
}
