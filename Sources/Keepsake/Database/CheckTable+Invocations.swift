import KeepsakeFiles
import KeepsakeSQLite

extension CheckTable {
  /// Passes the invocations of a session to a closure, in the order of their numbers.
  func forEachInvocation(of session: Int64, _ body: (CheckedInvocation) throws -> Void) throws {
    let row = try db.prepare(
      """
      SELECT number, recorded, id, turn, maker, name, implementation, version, model, parameters,
        arguments, started, ended, outcome, detail, output, call_id,
        call_entry & ?2, call_ordinal, basis, salt, call_entry, operation, change, digest
      FROM invocation WHERE session = ?1 ORDER BY number
      """)
    row.bind(session)
    row.bind(EntryID.maximumPosition)
    while try row.step() { try body(CheckedInvocation(row)) }
  }
}
