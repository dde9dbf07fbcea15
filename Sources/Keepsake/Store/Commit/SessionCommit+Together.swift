#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension [SessionCommit] {
  /// Joins commits that follow each other into one where each only adds to the session. The session is then looked at and checked once
  /// for all of these commits.
  ///
  /// A joined commit has the links of all its parts, so it leads to the same head, and whoever writes it checks it like any other.
  var together: [SessionCommit] {
    var all: [SessionCommit] = []
    var run = Run()
    for commit in self {
      if run.take(commit) { continue }
      all += run.commits
      run = Run()
      if !run.take(commit) { all.append(commit) }
    }
    return all + run.commits
  }
}

/// Commits that can be one.
private struct Run {
  private var taken: [SessionCommit] = []
  /// The rows that may be written once in a commit.
  private var rows: Set<Row> = []

  private struct Row: Hashable {
    let kind: CopyRecord.Kind
    let key: CopyRecord.Value
  }

  /// The commits as one, or none.
  var commits: [SessionCommit] {
    guard let first = taken.first, let last = taken.last, taken.count > 1 else { return taken }
    // Several commits may have the same row. The record in the last commit says how the row is now.
    var latest: [Row: CopyRecord] = [:]
    var lists: [CopyRecord.Kind: [CopyRecord]] = [:]
    for record in taken.flatMap(\.records) {
      if let row = Self.changing(record) {
        latest[row] = record
      } else {
        lists[record.kind, default: []].append(record)
      }
    }
    for (row, record) in latest { lists[row.kind, default: []].append(record) }
    lists[.turn]?.sort { $0.int("number") ?? 0 < $1.int("number") ?? 0 }
    return [
      SessionCommit(
        session: first.session, base: first.base, end: last.end,
        records: SessionCommit.kinds.flatMap { lists[$0] ?? [] }, gone: [], erased: [])
    ]
  }

  /// Takes a commit that goes on from those that were taken, and adds rows only; false for any other.
  mutating func take(_ commit: SessionCommit) -> Bool {
    guard let base = commit.base, commit.end != nil, commit.gone.isEmpty, commit.erased.isEmpty,
      !commit.isRemainder, !commit.isOfPurged,
      taken.last.map({ $0.session == commit.session && $0.end == base }) ?? true
    else { return false }
    var new: Set<Row> = []
    for record in commit.records where Self.changing(record) == nil {
      guard let row = Self.added(record), !rows.contains(row), new.insert(row).inserted else {
        return false
      }
    }
    rows.formUnion(new)
    taken.append(commit)
    return true
  }

  /// The row of a record that may be in each commit, and no link of the chain.
  private static func changing(_ record: CopyRecord) -> Row? {
    switch record.kind {
    case .session, .standing, .saved: Row(kind: record.kind, key: .null)
    case .turn: Row(kind: .turn, key: record["number"])
    default: nil
    }
  }

  /// The row of a record that adds to the session; nil for one that may change a row, or that has numbers of its commit.
  private static func added(_ record: CopyRecord) -> Row? {
    switch record.kind {
    case .entry where record.children.isEmpty: Row(kind: .entry, key: record["position"])
    case .invocation: Row(kind: .invocation, key: record["id"])
    default: nil
    }
  }
}
