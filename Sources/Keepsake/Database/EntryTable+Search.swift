import KeepsakeSQLite

// The statements that a search needs.
extension EntryTable {
  /// Tells whether there is an entry with an id.
  func exists(_ id: EntryID) throws -> Bool {
    let find = try db.prepare("SELECT 1 FROM entry WHERE id = ?")
    find.bind(id)
    return try find.step()
  }

  /// Reads the content of an entry without its attachments; nil if it was erased.
  func content(of id: EntryID, kind: Entry.Kind) throws -> Entry? {
    let find = try db.prepare("SELECT body FROM entry WHERE id = ?")
    find.bind(id)
    guard try find.step(), !find.isNull(0) else { return nil }
    var entry = Entry(kind)
    try EntryBody.decode(find.span(0), into: &entry)
    return entry
  }

  /// Returns the entries of one session that were revised, or got an attachment, after one of the session's changes.
  func revised(since change: Int, in ids: ClosedRange<EntryID>) throws -> [EntryID] {
    let find = try db.prepare(
      """
      SELECT entry FROM revision WHERE entry BETWEEN ?1 AND ?2 AND until > ?3
      UNION SELECT entry FROM attachment
      WHERE session = ?1 >> 24 AND entry BETWEEN ?1 AND ?2 AND recorded > ?3
      """)
    find.bind(ids.lowerBound)
    find.bind(ids.upperBound)
    find.bind(change)
    var entries: [EntryID] = []
    while try find.step() { entries.append(find.entryID()) }
    return entries
  }
}
