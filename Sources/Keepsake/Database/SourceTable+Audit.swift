import KeepsakeFiles
import KeepsakeSQLite

extension SourceTable {
  /// Reads the imports into a session, in their order.
  func imports(into session: Int64) throws -> [AuditedImport] {
    let find = try db.prepare(
      """
      SELECT i.first, i.count, i.recorded, s.name, s.digest FROM import AS i
        JOIN source AS s ON s.number = i.source WHERE i.session = ? ORDER BY i.number
      """)
    find.bind(session)
    var found: [AuditedImport] = []
    while try find.step() {
      let first = try find.int(in: .entries)
      found.append(
        AuditedImport(
          positions: first..<(first + (try find.int(in: .entries))), recorded: find.int(),
          file: find.optionalText(), digest: find.digest()))
    }
    return found
  }
}
