#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Store {
  /// Sums up the usage of all answers by session, model, tool, origin or day.
  ///
  /// Days are in order, and other shares have the largest first. An entry that forks share counts once. The cost is a look at
  /// each entry. No lock is taken.
  /// - Parameters:
  ///   - grouping: The criterion by which usage is summed up.
  ///   - since: The earliest time of answers, included; answers of unknown time are left out then.
  ///   - until: The latest time of answers, excluded.
  /// - Returns: The shares.
  /// - Throws: A ``KeepsakeError`` if the store can't be read.
  @concurrent
  public func usage(by grouping: Usage.Grouping, since: Date? = nil, until: Date? = nil)
    async throws -> [Usage.Share]
  {
    try await handle.refreshAll()
    return try handle.read { db in
      var totals: [UsageGroup: Usage.Total] = [:]
      let reader = UsageReader(since: since, until: until)
      try reader.read(in: db) { entry, usage in
        for group in try UsageGroup.groups(of: entry, by: grouping, in: db) {
          totals[group, default: .init()].add(usage)
        }
      }
      let shares = try totals.map { group, total in try group.share(total, in: db) }
      if case .day = grouping.kind {
        return shares.sorted { ($0.name ?? "") < ($1.name ?? "") }
      }
      return shares.sorted {
        let (one, other) = ($0.total, $1.total)
        return (other.input, other.output, $0.name ?? "") < (one.input, one.output, $1.name ?? "")
      }
    }
  }
}

extension Session {
  /// Sums up the usage of all answers that the session shows, including those that a fork shares.
  ///
  /// - Returns: The sum.
  /// - Throws: A ``KeepsakeError`` if the session can't be read.
  @concurrent
  public func usage() async throws -> Usage.Total {
    try handle.read { db in
      let end = try SessionRow.entries(of: self, in: db)
      var total = Usage.Total()
      let reader = UsageReader()
      for stretch in lineage.stretches(0..<end) {
        let owner = stretch.piece.session
        let first = EntryID(session: owner, position: stretch.positions.lowerBound)
        let last = EntryID(session: owner, position: stretch.positions.upperBound - 1)
        try reader.read(first...last, in: db) { total.add($1) }
      }
      return total
    }
  }
}

/// A group of answers whose usage is summed up.
private enum UsageGroup: Hashable {
  /// A session by its number; nil for deleted sessions whose entries are still shown by forks.
  case session(Int64?)
  /// A model, a tool or an origin; nil if it is unknown.
  case name(String?)
  /// A day, counted from 1970; nil if the time is unknown.
  case day(Int64?)

  static func groups(
    of entry: UsageRow, by grouping: Usage.Grouping, in db: Tables
  ) throws -> Set<UsageGroup> {
    switch grouping.kind {
    case .session: return [.session(entry.isListed ? entry.id.session : nil)]
    case .model: return [.name(entry.model)]
    case .origin: return [.name(entry.origin)]
    case .tool:
      let tools = Set(try db.entries.tools(calledBy: entry.id).map(UsageGroup.name))
      return tools.isEmpty ? [.name(nil)] : tools
    case .day(let secondsAhead):
      if entry.created == EntryTime.unknown { return [.day(nil)] }
      let second = entry.created.floored(by: 1_000_000)
      return [.day((second + Int64(secondsAhead(second))).floored(by: 86_400))]
    }
  }

  func share(_ total: Usage.Total, in db: Tables) throws -> Usage.Share {
    switch self {
    case .session(let number):
      let summary = try number.flatMap { try SessionList.summary(of: $0, in: db) }
      return .init(
        name: summary?.id.text, title: summary?.name, total: total)
    case .name(let name): return .init(name: name, title: nil, total: total)
    case .day(let day):
      let text = day.map { String(RFC3339.text($0 * 86_400_000_000).prefix { $0 != "T" }) }
      return .init(name: text, title: nil, total: total)
    }
  }
}

extension Int64 {
  fileprivate func floored(by unit: Int64) -> Int64 {
    let (quotient, rest) = quotientAndRemainder(dividingBy: unit)
    return rest < 0 ? quotient - 1 : quotient
  }
}

/// Reads the usage of answers from the bodies of their entries.
private struct UsageReader {
  var since: Date?
  var until: Date?

  /// Reads all stored entries, or a range of them, except those that an import still hides.
  func read(
    _ ids: ClosedRange<EntryID>? = nil, in db: Tables, _ body: (UsageRow, Usage) throws -> Void
  ) throws {
    let start = until == nil ? EntryTime.unknown : EntryTime.unknown + 1
    try db.entries.forEachUsage(
      in: ids, since: since?.microseconds ?? start, until: until?.microseconds ?? .max
    ) { row, content in
      if let usage = try usage(content, of: row.id) { try body(row, usage) }
    }
  }

  private func usage(_ body: RawSpan, of id: EntryID) throws -> Usage? {
    do {
      var reader = JSONReader(body)
      try reader.beginObject()
      while try reader.nextKey() {
        if reader.key(is: "usage") { return Usage(reported: try reader.rawValue()) }
        try reader.skipValue()
      }
      return nil
    } catch {
      throw KeepsakeError(
        .damaged,
        "The entry at position \(id.position) of session number \(id.session) is damaged: \(error.message.clause).",
        remedy: .verify
      )
    }
  }
}
