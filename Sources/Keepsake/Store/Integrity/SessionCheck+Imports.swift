extension SessionCheck {
  /// Checks the digest of each import, which covers that of the file it came from.
  mutating func checkImports(_ report: inout VerifyReport) throws {
    var last = 0
    try db.checks.forEachImport(of: number) { row in
      report.counts.imports += 1
      let object = "import \(row.number) of \(name)"
      note(
        .source, change: row.change, operation: row.operation, position: row.recorded,
        digest: row.digest, of: object, &report)
      note(
        Recording(object: object, first: .take, change: row.change), recorded: row.recorded,
        after: &last, &report)
      if row.presentDigest != row.digest {
        report.damaged(object, "It was altered: it does not have the digest that was recorded.")
      }
    }
  }
}
