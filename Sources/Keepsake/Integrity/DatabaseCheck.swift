import KeepsakeSQLite

/// Runs SQLite's own checks, and looks for rows that no session leads to.
struct DatabaseCheck {
  let db: Tables

  /// - Parameter depth: How much of SQLite's own check is run; nil to run none, because somebody else's schema could do
  ///   harm.
  func run(_ depth: VerifyOptions.DatabaseCheck?, report: inout VerifyReport) throws {
    if let depth {
      for sentence in try db.connection.integrityCheck(quick: depth == .quick) {
        report.damaged("the database", "SQLite finds: \(sentence).")
      }
    } else {
      report.damaged(
        "the database",
        "SQLite's own check was left out: it would run what somebody put into the schema.",
        action: .moveToNewStore)
    }
    for broken in try db.connection.brokenForeignKeys() {
      report.damaged(
        "row \(broken.row.map(String.init) ?? "?") of table \(broken.table)",
        "It refers to a row of \(broken.parent) that is not there.")
    }
    try findStrays(&report)
  }

  /// Finds entries, revisions and tool calls of no session. No foreign key binds them to one: the number of the session is
  /// a part of the entry's id.
  private func findStrays(_ report: inout VerifyReport) throws {
    let find = try db.prepare(
      """
      SELECT 'entries', count(*) FROM entry
      WHERE NOT EXISTS (SELECT 1 FROM session WHERE number = entry.id >> ?1)
      UNION ALL SELECT 'revisions', count(*) FROM revision
      WHERE NOT EXISTS (SELECT 1 FROM session WHERE number = revision.entry >> ?1)
      UNION ALL SELECT 'tool calls', count(*) FROM tool_call
      WHERE NOT EXISTS (SELECT 1 FROM session WHERE number = tool_call.entry >> ?1)
      """)
    find.bind(EntryID.positionBits)
    while try find.step() {
      let rows = find.text()
      let count = find.int()
      guard count > 0 else { continue }
      report.damaged("the database", "\(count) \(rows) are of no session.")
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
