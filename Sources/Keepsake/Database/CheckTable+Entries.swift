import KeepsakeSQLite

extension CheckTable {
  /// Prepares the reading of the entries that a session owns.
  func entries(of session: Int64) throws -> CheckedEntries {
    try entries(EntryID.all(of: session))
  }

  /// Prepares the reading of a range of entries.
  func entries(_ ids: ClosedRange<EntryID>) throws -> CheckedEntries {
    try CheckedEntries(ids, in: db)
  }

  /// Prepares the reading of the revisions of the entries that a session owns.
  func revisions(of session: Int64) throws -> CheckedRevisions {
    try revisions(EntryID.all(of: session))
  }

  /// Prepares the reading of the revisions of a range of entries.
  func revisions(_ ids: ClosedRange<EntryID>) throws -> CheckedRevisions {
    try CheckedRevisions(ids, in: db)
  }

  /// Prepares the reading of the tool calls in the entries that a session owns.
  func calls(of session: Int64) throws -> CheckedCalls {
    try CheckedCalls(of: session, in: db)
  }

  /// Finds ids that several entries of a session have, and passes to a closure the first and the last position of each, and
  /// the number of the entries.
  func forEachRepeatedID(
    of session: Int64, _ body: (_ first: Int, _ last: Int, _ count: Int) -> Void
  ) throws {
    let find = try db.prepare(
      """
      SELECT min(id) & ?3, max(id) & ?3, count(*) FROM entry WHERE id BETWEEN ?1 AND ?2
      GROUP BY uuid HAVING count(*) > 1 ORDER BY min(id)
      """)
    find.bind(EntryID.all(of: session))
    find.bind(EntryID.maximumPosition)
    while try find.step() { body(find.int(), find.int(), find.int()) }
  }

  /// Counts the keys of a session in the index of keys.
  func indexedKeys(of session: Int64) throws -> Int? {
    let count = try db.prepare("SELECT count(*) FROM entry_key WHERE session = ?")
    count.bind(session)
    return try count.step() ? count.int() : nil
  }

  /// Finds the id of a tool call; nil if the call is not there, or has no id.
  func callID(of entry: EntryID, ordinal: Int?) throws -> String? {
    let find = try db.prepare("SELECT call_id FROM tool_call WHERE entry = ? AND ordinal = ?")
    find.bind(entry)
    find.bind(ordinal)
    return try find.step() ? find.optionalText() : nil
  }

  /// Tells whether a tool call has a row.
  func hasCall(_ entry: EntryID, ordinal: Int?) throws -> Bool {
    let find = try db.prepare("SELECT 1 FROM tool_call WHERE entry = ? AND ordinal = ?")
    find.bind(entry)
    find.bind(ordinal)
    return try find.step()
  }

  /// Tells whether there is a prompt among some entries of a session.
  func hasPrompt(_ positions: Range<Int>, of session: Int64) throws -> Bool {
    let find = try db.prepare("SELECT 1 FROM entry WHERE id BETWEEN ? AND ? AND kind = ?")
    find.bind(EntryID.range(positions, of: session))
    find.bind(Entry.Kind.prompt.code)
    return try find.step()
  }
}
