import KeepsakeFiles

extension SessionCheck {
  /// Checks that each entry holds the newest of its links, and that what it held before is all there.
  func checkHistories(_ report: inout VerifyReport) {
    var links: [Int: [LinkLedger.Link]] = [:]
    for link in ledger.links where Self.isEntrys(link) && isChanged(link.position) {
      links[link.position, default: []].append(link)
    }
    for (position, history) in histories.sorted(by: { $0.key < $1.key }) {
      check(history, links[position] ?? [], at: position, &report)
    }
    // Entries without a history have one link; a second one was theirs, too.
    for link in ledger.links
    where link.origin == .archive && Self.isEntrys(link) && !isChanged(link.position)
      && isThere(link.position) && !mayLack(link)
    {
      report.damaged(
        name(link.position), "It was put back to what it was before change \(link.number).")
    }
  }

  private func isChanged(_ position: Int) -> Bool { histories[position] != nil }

  /// Tells whether the session has the entry; a purged one has lost those at its end that no fork shares.
  private func isThere(_ position: Int) -> Bool {
    !isPurged || position < forkPosition &+ entries
  }

  /// Tells whether the row that a link is about may be older than the link.
  ///
  /// A store may learn of the last changes of a deleted session from their links alone. What a change erased is gone nevertheless, and a fork
  /// shows no change of an entry that was made after the fork.
  func mayLack(_ link: LinkLedger.Link) -> Bool {
    guard isPurged else { return false }
    if isLeaving { return true }
    switch Chain.Operation(rawValue: link.operation) {
    case .revise, .adopt:
      return !forks.contains { $0.position > link.position && $0.change >= link.number }
    case .bind, .settle, .caption, .conclude, .take: return true
    default: return false
    }
  }

  /// Tells whether a link is an entry's.
  private static func isEntrys(_ link: LinkLedger.Link) -> Bool {
    switch Chain.Operation(rawValue: link.operation) {
    case .append, .revise, .adopt, .eraseEntry: true
    default: link.origin == .entry
    }
  }

  private func check(
    _ history: EntryHistory, _ links: [LinkLedger.Link], at position: Int,
    _ report: inout VerifyReport
  ) {
    let object = name(position)
    // Without one of its own, the row has the link that it was appended with, which nothing may follow.
    guard let newest = history.newest else {
      return report.damaged(object, "It was put back to what it was before a revision.")
    }
    for link in links where link.number > newest.change && !mayLack(link) {
      report.damaged(object, "It was put back to what it was before change \(link.number).")
    }
    let held = HeldLinks(history, newest)
    for revision in history.revisions {
      check(revision, held: held, links, of: object, &report)
    }
    // A content is replaced by a revision, which keeps it; otherwise a later row has it, or it was erased.
    for link in links where !held.has(link.number) && link.number < newest.change {
      let next = held.next(after: link.number)?.operation
      guard next != Chain.Operation.adopt.rawValue, next != Chain.Operation.eraseEntry.rawValue
      else {
        continue
      }
      report.damaged(object, "What it was after change \(link.number) is gone.")
    }
    if let erased = history.erased {
      let last = links.last { $0.number < newest.change }
      let digest = last.map { Self.digest(erased.columns, $0.digest, revised: erased.revised) }
      if digest == nil || digest != ledger.link(newest.change)?.digest {
        report.damaged(object, "What is left of it after it was erased was altered.")
      }
    }
  }

  private func check(
    _ revision: EntryHistory.Revision, held: HeldLinks, _ links: [LinkLedger.Link],
    of object: String, _ report: inout VerifyReport
  ) {
    let object = "revision \(revision.number) of \(object)"
    let known = ledger.link(revision.link.number)
    if known?.origin != .archive || known?.operation != revision.link.operation
      || known?.position != revision.link.position || known?.digest != revision.link.digest
    {
      report.damaged(
        object, "It says another thing of change \(revision.link.number) than the chain.")
    }
    // The next row that holds a link may have it from a later change than the one that replaced this.
    let next = held.next(after: revision.link.number)?.number ?? 0
    // They are in the order of their numbers.
    let place = links.partitioned { $0.number >= revision.until }
    let until = place < links.count && links[place].number == revision.until ? links[place] : nil
    if revision.until <= revision.link.number || revision.until > next
      || until?.operation != Chain.Operation.revise.rawValue
    {
      report.damaged(object, "No change \(revision.until) replaced it.")
    }
  }
}

/// The links that the rows of one entry hold: its revisions' and its own.
private struct HeldLinks {
  /// By number; of two with the same the revision's first.
  private let links: [(number: Int, operation: Int)]

  init(_ history: EntryHistory, _ newest: (change: Int, operation: Int)) {
    let all =
      history.revisions.map { ($0.link.number, $0.link.operation) }
      + [(newest.change, newest.operation)]
    links = all.enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }
      .map { (number: $0.element.0, operation: $0.element.1) }
  }

  func has(_ number: Int) -> Bool {
    let place = links.partitioned { $0.number >= number }
    return place < links.count && links[place].number == number
  }

  func next(after number: Int) -> (number: Int, operation: Int)? {
    let place = links.partitioned { $0.number > number }
    return place < links.count ? links[place] : nil
  }
}

extension Array {
  /// The first place whose element passes, where all behind it do and none before it; found by halving.
  fileprivate func partitioned(by passes: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if passes(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
