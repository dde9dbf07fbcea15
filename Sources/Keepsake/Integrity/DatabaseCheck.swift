import KeepsakeSQLite

/// SQLite's own checks, and rows that no session leads to.
struct DatabaseCheck {
  let db: Connection

  /// - Parameter depth: How much of SQLite's own check is run; nil where the schema is somebody else's.
  func run(_ depth: VerifyOptions.DatabaseCheck?, report: inout VerifyReport) throws {
    if let depth {
      for sentence in try db.integrityCheck(quick: depth == .quick) {
        report.damaged("the database", "SQLite finds: \(sentence).")
      }
    } else {
      report.damaged(
        "the database",
        "SQLite's own check was left out: it would run what somebody put into the schema.",
        action: .moveToNewStore)
    }
    for broken in try db.brokenForeignKeys() {
      report.damaged(
        "row \(broken.row.map(String.init) ?? "?") of table \(broken.table)",
        "It refers to a row of \(broken.parent) that is not there.")
    }
    try findStrays(&report)
  }

  /// Entries, and what hangs on them, are not bound to their session by a foreign key: their number says whose they are.
  private func findStrays(_ report: inout VerifyReport) throws {
    let find = try db.prepare(
      """
      SELECT 'entries', count(*) FROM entry
      WHERE NOT EXISTS (SELECT 1 FROM session WHERE number = entry.id >> 24)
      UNION ALL SELECT 'revisions', count(*) FROM revision
      WHERE NOT EXISTS (SELECT 1 FROM session WHERE number = revision.entry >> 24)
      UNION ALL SELECT 'tool calls', count(*) FROM tool_call
      WHERE NOT EXISTS (SELECT 1 FROM session WHERE number = tool_call.entry >> 24)
      """)
    while try find.step() {
      guard find.int(1) > 0 else { continue }
      report.damaged("the database", "\(find.int(1)) \(find.text(0)) are of no session.")
    }
    let keys = try db.integer(
      """
      SELECT count(*) FROM entry_key
      WHERE NOT EXISTS (SELECT 1 FROM session WHERE number = entry_key.session)
      """)
    if let keys, keys > 0 {
      report.derived("the index of keys", "\(keys) of its keys are of no session.")
    }
  }
}
