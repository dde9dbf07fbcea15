import KeepsakeFiles
import KeepsakeSQLite

extension EntryTable {
  /// Passes entries to a closure, the last first, until that returns false, and takes their keys out of the index.
  func removeKeys(
    ofEntriesIn ids: ClosedRange<EntryID>, _ goesOn: (RemovableEntry) throws -> Bool
  ) throws {
    let find = try db.prepare(
      """
      SELECT id, operation, change, digest, coalesce(length(CAST(body AS BLOB)), 0),
        (SELECT coalesce(sum(length(CAST(body AS BLOB))), 0) FROM revision WHERE entry = e.id), key
      FROM entry AS e WHERE id BETWEEN ? AND ? ORDER BY id DESC
      """)
    find.bind(ids)
    while try find.step() {
      let row = RemovableEntry(
        id: find.entryID(), operation: find.int(), change: find.int(), digest: find.digest(),
        body: find.int64(), revisions: find.int64())
      let key = find.position()
      let goesOn = try goesOn(row)
      if !find.isNull(key) {
        try EntryKeys.removed(row.id, with: find.span(key), in: Tables(db))
      }
      guard goesOn else { return }
    }
  }

  /// Removes entries of a session, with their revisions, tool calls and tags.
  func delete(_ ids: ClosedRange<EntryID>, of session: Int64) throws {
    for sql: StaticString in [
      "DELETE FROM revision WHERE entry BETWEEN ?2 AND ?3 AND ?1",
      "DELETE FROM tool_call WHERE entry BETWEEN ?2 AND ?3 AND ?1",
      "DELETE FROM tag WHERE session = ?1 AND entry BETWEEN ?2 AND ?3",
      "DELETE FROM entry WHERE id BETWEEN ?2 AND ?3 AND ?1",
    ] {
      let delete = try db.prepare(sql)
      delete.bind(session)
      delete.bind(ids)
      try delete.run()
    }
  }

  /// Counts the bytes of an entry's body and of its revisions.
  func storedBytes(of id: EntryID) throws -> Int64 {
    let find = try db.prepare(
      """
      SELECT coalesce(length(CAST(body AS BLOB)), 0) + (
        SELECT coalesce(sum(length(CAST(body AS BLOB))), 0) FROM revision WHERE entry = ?1)
      FROM entry WHERE id = ?1
      """)
    find.bind(id)
    return try find.step() ? find.int64() : 0
  }

  /// Returns the positions of the erased entries in a range.
  func erased(in ids: ClosedRange<EntryID>) throws -> [Int] {
    let find = try db.prepare("SELECT id FROM entry WHERE id BETWEEN ? AND ? AND body IS NULL")
    find.bind(ids)
    var positions: [Int] = []
    while try find.step() { positions.append(find.entryID().position) }
    return positions
  }

  /// Erases the body of an entry, its revisions and its tags.
  func erase(_ id: EntryID, link: RowLink) throws {
    let update = try db.prepare(
      """
      UPDATE entry SET operation = ?, change = ?, salt = NULL, digest = ?, body = NULL WHERE id = ?
      """)
    update.bind(link.operation)
    update.bind(link.change)
    update.bind(link.digest)
    update.bind(id)
    try update.run()
    let revisions = try db.prepare("UPDATE revision SET salt = NULL, body = NULL WHERE entry = ?")
    revisions.bind(id)
    try revisions.run()
    try SessionTable(db: db).deleteTags(of: id)
  }
}
