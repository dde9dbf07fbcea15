import KeepsakeFiles
import KeepsakeSQLite

extension SessionCheck {
  /// Reads the links that no row holds any more.
  mutating func readArchive(_ report: inout VerifyReport) throws {
    let find = try db.prepare(
      "SELECT number, operation, position, digest FROM change WHERE session = ? ORDER BY number")
    find.bind(number)
    while try find.step() {
      note(
        .archive, change: find.int(), operation: find.int(), position: find.int(),
        digest: find.digest(), of: name, &report)
    }
  }

  /// Puts all links in order and folds them; compares with the head, with forks, and with heads that were kept.
  mutating func checkChain(kept: [VerifyReport.Head], _ report: inout VerifyReport) throws {
    let faults = ledger.order()
    report.counts.changes += ledger.links.count
    let forks = try forks()
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

  /// Compares heads that were kept with those that the chain had then.
  ///
  /// An older copy that was put back ends before a kept head, and agrees with those before its end. In a past that was
  /// rewritten the change is there, and is another one.
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
    let find = try db.prepare("SELECT entries, changes, state FROM session WHERE number = ?")
    find.bind(parent)
    // That there is no such parent was found with the lineage.
    if try find.step(), find.int(2) < 2, find.int(0) < forkPosition || find.int(1) < change {
      report.damaged(name, "It forked at a position or change that its parent does not have.")
    }
    return Chain(
      forking: Chain(head: head, count: change), at: forkPosition, into: id.bytes, created: created)
  }

  private func forks() throws -> [Fork] {
    let find = try db.prepare(
      """
      SELECT hex(id), fork_change, fork_head, fork_position, reach, state = 2,
        (SELECT max(reach) FROM session WHERE parent = f.number)
      FROM session AS f WHERE parent = ? AND (state < 3 OR ?)
      """)
    find.bind(number)
    find.bind(isRestored)
    var forks: [Fork] = []
    while try find.step() {
      let least = find.bool(5) ? min(find.int(3), find.int(6)) : find.int(3)
      forks.append(
        Fork(
          name: "the fork \(find.text(0).lowercased())", change: find.int(1), head: find.digest(2),
          hasReach: !find.isNull(4) && (least...max(least, find.int(3))).contains(find.int(4))))
    }
    return forks
  }

  private struct Fork {
    let name: String
    let change: Int
    let head: SHA256Digest?
    /// Whether it says of what it shares that it is needed, as far as it shows that, or a fork of it does.
    let hasReach: Bool
  }
}
