import KeepsakeFiles
import KeepsakeSQLite

extension InvocationTable {
  /// Passes the runs of a session that made no attachment that is left to a closure, until that returns false.
  /// - Parameter first: The first id of an entry whose runs go, because no fork shows it.
  func forEachRemovable(
    of session: Int64, from first: Int64, _ goesOn: (RemovableInvocation) throws -> Bool
  ) throws {
    let find = try db.prepare(
      """
      SELECT number, operation, change, digest, recorded,
        coalesce(length(arguments), 0) + coalesce(length(output), 0)
      FROM invocation AS i WHERE session = ?1
        AND NOT EXISTS (SELECT 1 FROM attachment WHERE invocation = i.number)
        AND (call_entry IS NULL OR call_entry >= ?2)
      """)
    find.bind(session)
    find.bind(first)
    while try find.step() {
      let row = RemovableInvocation(
        number: find.int64(), operation: find.int(), change: find.int(), digest: find.digest(),
        recorded: find.int(), size: find.int64())
      guard try goesOn(row) else { return }
    }
  }

  /// Removes a run.
  func delete(_ number: Int64) throws {
    let delete = try db.prepare("DELETE FROM invocation WHERE number = ?")
    delete.bind(number)
    try delete.run()
  }

  /// Finds the runs that a call asked for, or that any call of an entry asked for.
  func runs(of call: EntryID, ordinal: Int?, in session: Int64) throws -> [InvocationRow] {
    let find = try db.prepare(
      text: """
        SELECT \(InvocationRow.columns) FROM invocation
        WHERE session = ?1 AND call_entry = ?2 AND (?3 IS NULL OR call_ordinal = ?3) ORDER BY number
        """)
    find.bind(session)
    find.bind(call)
    find.bind(ordinal)
    var rows: [InvocationRow] = []
    while try find.step() { rows.append(try InvocationRow(find)) }
    return rows
  }

  /// Writes what is left of a run after erasing.
  func updateErased(_ row: InvocationRow) throws {
    let update = try db.prepare(
      """
      UPDATE invocation SET arguments = ?, parameters = ?, output = ?, detail = ?, operation = ?,
        change = ?, salt = ?, digest = ? WHERE number = ?
      """)
    update.bind(row.description.arguments)
    update.bind(row.description.parameters)
    update.bind(row.output)
    update.bind(row.detail)
    update.bind(row.link.operation)
    update.bind(row.link.change)
    update.bind(row.salt)
    update.bind(row.link.digest)
    update.bind(row.number)
    try update.run()
  }
}
