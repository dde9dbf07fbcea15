import KeepsakeSQLite

/// The rows of the tool calls of a session's entries, as they stand in the database, read one at a time.
struct CheckedCalls: ~Copyable {
  private let row: Statement

  /// Prepares the reading of the calls in the entries that a session owns, in the order of the entries.
  init(of session: Int64, in db: Connection) throws {
    row = try db.prepare(
      """
      SELECT entry, ordinal, call_id, tool FROM tool_call
      WHERE entry BETWEEN ? AND ? ORDER BY entry, ordinal
      """)
    row.bind(EntryID.all(of: session))
  }

  /// Goes to the next row; returns false at the end.
  func next() throws -> Bool { try row.step() }

  var entry: EntryID { row.entryID(0) }
  var ordinal: Int { row.int(1) }
  var callID: String? { row.optionalText(2) }
  var tool: String { row.text(3) }
}
