/// Runs SQLite's own checks, and looks for rows that no session leads to.
struct DatabaseCheck {
  let db: Tables

  /// - Parameter depth: How much of SQLite's own check is run; nil to run none, because somebody else's schema could do
  ///   harm.
  func run(_ depth: VerifyOptions.DatabaseCheck?, report: inout VerifyReport) throws {
    if let depth {
      for sentence in try db.checks.faults(quick: depth == .quick) {
        report.damaged("the database", "SQLite finds: \(sentence).")
      }
    } else {
      report.damaged(
        "the database",
        "SQLite's own check was left out: it would run what somebody put into the schema.",
        action: .moveToNewStore)
    }
    for broken in try db.checks.brokenReferences() {
      report.damaged(
        "row \(broken.row.map(String.init) ?? "?") of table \(broken.table)",
        "It refers to a row of \(broken.parent) that is not there.")
    }
    try findStrays(&report)
  }

  /// Finds entries, revisions and tool calls of no session. No foreign key binds them to one: the number of the session is
  /// a part of the entry's id.
  private func findStrays(_ report: inout VerifyReport) throws {
    try db.checks.forEachStray { kind, count in
      if count > 0 { report.damaged("the database", "\(count) \(kind) are of no session.") }
    }
    let keys = try db.checks.strayKeys()
    if keys > 0 {
      report.derived("the index of keys", "\(keys) of its keys are of no session.")
    }
  }
}
