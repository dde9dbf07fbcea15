import KeepsakeSQLite

/// The statements over the table of runs of tools and of steps of the app.
struct InvocationTable {
  let db: Connection
}

extension Tables {
  var invocations: InvocationTable { InvocationTable(db: connection) }
}

extension InvocationTable {
  /// Lists the runs of a session, the oldest first.
  func rows(of session: Int64) throws -> [InvocationRow] {
    var rows: [InvocationRow] = []
    try forEach(of: session) { rows.append($0) }
    return rows
  }

  /// Passes the runs of a session to a closure, the oldest first.
  func forEach(of session: Int64, _ take: (InvocationRow) throws -> Void) throws {
    try forEach("session = ?1", take) { $0.bind(session) }
  }

  /// Passes the runs of calls that a fork shares with a piece to a closure, the oldest first.
  func forEach(sharedIn piece: Lineage.Piece, _ take: (InvocationRow) throws -> Void) throws {
    try forEach(
      "session = ?1 AND \(EntryID.position(of: "call_entry")) < ?2 AND recorded <= ?3", take
    ) { find in
      find.bind(piece.session)
      find.bind(piece.end)
      find.bind(piece.changes ?? .max)
    }
  }

  private func forEach(
    _ condition: String, _ take: (InvocationRow) throws -> Void,
    _ bind: (borrowing Statement) -> Void
  ) throws {
    let find = try db.prepare(
      text: "SELECT \(InvocationRow.columns) FROM invocation WHERE \(condition) ORDER BY number")
    bind(find)
    while try find.step() { try take(InvocationRow(find)) }
  }

  /// Returns whether a session has a run that is bound to a call.
  func hasRun(of call: EntryID, ordinal: Int, in session: Int64) throws -> Bool {
    let find = try db.prepare(
      """
      SELECT 1 FROM invocation WHERE session = ? AND call_entry = ? AND call_ordinal = ? LIMIT 1
      """)
    find.bind(session)
    find.bind(call)
    find.bind(ordinal)
    return try find.step()
  }
}
