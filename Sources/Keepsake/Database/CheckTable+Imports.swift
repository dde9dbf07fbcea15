import KeepsakeFiles
import KeepsakeSQLite

extension CheckTable {
  /// Passes the imports into a session to a closure, in the order of their numbers.
  func forEachImport(of session: Int64, _ body: (CheckedImport) throws -> Void) throws {
    let row = try db.prepare(
      """
      SELECT i.number, i.recorded, s.format, s.name, s.size, s.digest, i.created, i.first, i.count,
        i.salt, i.operation, i.change, i.digest
      FROM import AS i JOIN source AS s ON s.number = i.source WHERE i.session = ? ORDER BY i.number
      """)
    row.bind(session)
    while try row.step() { try body(CheckedImport(row)) }
  }
}
