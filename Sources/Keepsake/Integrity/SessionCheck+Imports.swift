import KeepsakeFiles
import KeepsakeSQLite

extension SessionCheck {
  /// Checks the digest of each import, which covers that of the file it came from.
  mutating func checkImports(_ report: inout VerifyReport) throws {
    let row = try db.prepare(
      """
      SELECT i.number, i.recorded, s.format, s.name, s.size, s.digest, i.created, i.first, i.count,
        i.salt, i.operation, i.change, i.digest
      FROM import AS i JOIN source AS s ON s.number = i.source WHERE i.session = ? ORDER BY i.number
      """)
    row.bind(number)
    var last = 0
    while try row.step() {
      report.counts.imports += 1
      let object = "import \(row.int64(0)) of \(name)"
      let digest = row.digest(12)
      note(
        .source, change: row.int(11), operation: row.int(10), position: row.int(1),
        digest: digest, of: object, &report)
      note(
        Recording(object: object, first: .take, change: row.int(11)), recorded: row.int(1),
        after: &last, &report)
      if Self.digest(ofImport: row) != digest {
        report.damaged(object, "It was altered: it does not have the digest that was recorded.")
      }
    }
  }

  private static func digest(ofImport row: borrowing Statement) -> SHA256Digest {
    var canonical = Canonical("keepsake.import.1")
    canonical.add(integer: 1, of: row)
    canonical.add(text: 2, of: row)
    canonical.add(text: 3, of: row)
    canonical.add(integer: 4, of: row)
    canonical.add(blob: 5, of: row)
    for column in 6...8 { canonical.add(integer: column, of: row) }
    canonical.add(blob: 9, of: row)
    return canonical.digest
  }
}
