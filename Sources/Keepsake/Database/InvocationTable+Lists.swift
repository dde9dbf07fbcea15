import KeepsakeSQLite

extension InvocationTable {
  /// Reads the first runs of a session after a number, the oldest first.
  func rows(of session: Int64, after number: Int64, atMost count: Int) throws -> [InvocationRow] {
    let find = try db.prepare(text: Self.page)
    find.bind(session)
    find.bind(number)
    find.bind(count)
    var rows: [InvocationRow] = []
    while try find.step() { rows.append(try InvocationRow(find)) }
    return rows
  }

  static let page = """
    SELECT \(InvocationRow.columns) FROM invocation
    WHERE session = ?1 AND number > ?2 ORDER BY number LIMIT ?3
    """

  /// Reads the runs of a session since a turn.
  func runs(since turn: Int, in session: Int64) throws -> [InvocationRow] {
    let find = try db.prepare(
      text: """
        SELECT \(InvocationRow.columns) FROM invocation
        WHERE session = ? AND coalesce(turn, 0) >= ? ORDER BY number
        """)
    find.bind(session)
    find.bind(turn)
    var rows: [InvocationRow] = []
    while try find.step() { rows.append(try InvocationRow(find)) }
    return rows
  }

  /// Reads the runs of a session that have not ended, and the runs of tools that belong to no call.
  func openRuns(in session: Int64) throws -> [InvocationRow] {
    let find = try db.prepare(
      text: """
        SELECT \(InvocationRow.columns) FROM invocation
        WHERE session = ? AND (outcome IS NULL OR (maker = 0 AND call_entry IS NULL)) ORDER BY number
        """)
    find.bind(session)
    var rows: [InvocationRow] = []
    while try find.step() { rows.append(try InvocationRow(find)) }
    return rows
  }
}
