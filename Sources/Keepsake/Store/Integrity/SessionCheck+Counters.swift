extension SessionCheck {
  /// Compares what the session's row counts with what is there: of a fork its own bytes, and all attachments that it
  /// shows. Large texts are kept as attachments that are not listed, and not counted.
  func checkCounters(_ report: inout VerifyReport) throws {
    if stored.entries != forkPosition &+ entries {
      report.damaged(
        name,
        "It should have \(stored.entries &- forkPosition) entries of its own and has \(entries).")
    }
    func compare(_ what: String, _ stored: some BinaryInteger, _ found: some BinaryInteger) {
      guard Int64(stored) != Int64(found) else { return }
      report.derived(name, "Its row counts \(stored) \(what); there are \(found).")
    }
    let shared = try Session.sharedCount(lineage.shared, in: db)
    compare("attachments", stored.attachments, listed + shared)
    compare("bytes", stored.bytes, bytes)
    compare("turns", stored.turns, try turns())
    if let cover, try !db.checks.hasAttachment(cover) {
      report.derived(name, "The attachment that is its cover is not there.")
    }
  }

  /// The last turn that was opened, here or before the fork.
  private func turns() throws -> Int {
    var last = highestTurn
    if let opened = try db.checks.lastTurn(of: number) { last = max(last, opened) }
    // In a damaged store the fork may begin at a position that no entry can have.
    guard parent != nil, 0...EntryID.maximumPosition + 1 ~= forkPosition else { return last }
    return max(
      last,
      try db.entries.newestTurn(
        before: forkPosition, in: lineage,
        areOverlapping: db.sessions.areTurnsOverlapping(in: number)))
  }
}
