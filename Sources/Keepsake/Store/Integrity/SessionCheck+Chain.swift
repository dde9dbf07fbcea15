import KeepsakeFiles

extension SessionCheck {
  /// Reads the links that no row holds any more.
  mutating func readArchive(_ report: inout VerifyReport) throws {
    try db.checks.forEachArchivedLink(of: number) { change, operation, position, digest in
      note(
        .archive, change: change, operation: operation, position: position, digest: digest,
        of: name, &report)
    }
  }

  /// Puts all links in order, folds them, and compares the heads on the way with the session's own, with those that its
  /// forks noted, and with those that somebody kept.
  mutating func checkChain(kept: [VerifyReport.Head], _ report: inout VerifyReport) throws {
    let faults = ledger.order()
    report.counts.changes += ledger.links.count
    let forks = try db.checks.forks(of: number, isRestored: isRestored)
    self.forks = forks
    if isPurged, forks.isEmpty {
      report.harmless(
        name, "It was deleted, and its rows are not all gone yet.",
        remedy: "Nothing to do: they go when the store is next written to.")
      return checkKept(kept, [:], &report)
    }
    var marks = Set(kept.map(\.changes))
    for fork in forks { marks.insert(fork.change) }
    let (end, heads) = ledger.fold(onto: try beginning(&report), marking: marks)

    for fault in faults { report.damaged(name, fault) }
    if ledger.links.count != stored.changes {
      report.damaged(
        name, "It should have \(stored.changes) changes and has \(ledger.links.count).")
    }
    if faults.isEmpty, end.head != head {
      report.damaged(
        name, "Its \(end.count) changes lead to another head than the one it has: one was altered.")
    }
    if isPurged {
      report.harmless(
        name, "It was deleted; what its forks share with it is left.",
        remedy: "Nothing to do: it goes with its last fork.")
    }
    if faults.isEmpty {
      checkHistories(&report)
      checkRecordings(&report)
    }
    for fork in forks where heads[fork.change] != fork.head {
      report.damaged(
        fork.name,
        "The change \(fork.change) that it forked at is another one in its parent, \(name).")
    }
    for fork in forks where !fork.hasReach {
      report.damaged(
        fork.name,
        "Deleting \(name) would take away something that it shows, or leave something that nobody does: how far it reaches is wrong.",
        remedy: "Export what you need before you delete anything.")
    }
    checkKept(kept, heads, &report)
  }

  /// Compares heads that somebody kept with those that the chain had after the same changes.
  ///
  /// The chain of an older copy that was put back ends before a kept head, and agrees with the kept heads before its end.
  /// Where the past was rewritten, the change of a kept head is there and has another head.
  private func checkKept(
    _ kept: [VerifyReport.Head], _ heads: [Int: SHA256Digest], _ report: inout VerifyReport
  ) {
    let same = kept.filter { heads[$0.changes]?.hex == $0.head }.map(\.changes).max()
    let sameness = same.map { " Up to change \($0) it is as it was kept." } ?? ""
    for known in kept where heads[known.changes]?.hex != known.head {
      report.damaged(
        name,
        heads[known.changes] == nil
          ? "It has \(ledger.dense) changes; a kept head says that it had \(known.changes): an older copy was put back, or its end was cut off.\(sameness)"
          : "After change \(known.changes) its head is another one than the one that was kept: its past was rewritten.\(sameness)"
      )
    }
  }

  private func beginning(_ report: inout VerifyReport) throws -> Chain {
    guard let parent else { return Chain(beginning: id.bytes, created: created) }
    guard let change = forkChange, let head = forkHead else {
      report.damaged(name, "It is a fork and has lost the change that it forked at.")
      return Chain(beginning: id.bytes, created: created)
    }
    // A parent that is missing was reported when the lineage was read.
    if let extent = try db.checks.extent(of: parent),
      extent.entries < forkPosition || extent.changes < change
    {
      report.damaged(name, "It forked at a position or change that its parent does not have.")
    }
    return Chain(
      forking: Chain(head: head, count: change), at: forkPosition, into: id.bytes, created: created)
  }
}

extension CheckedFork {
  fileprivate var name: String { "the fork \(id.lowercased())" }

  /// Tells whether the fork's `reach` keeps everything that it, or a fork of it, shows of its parent, and nothing more.
  fileprivate var hasReach: Bool {
    let least = isPurged ? min(position, highestReach) : position
    return reach.map((least...max(least, position)).contains) ?? false
  }
}
