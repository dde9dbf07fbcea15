#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension [SessionCommit] {
  /// Joins commits that follow each other into one where each only adds to the session, or the first one makes it. The session is then
  /// looked at and checked once for all of these commits.
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
  /// The position of the last entry that was taken.
  private var lastEntry = -1
  /// The ids of the invocations that were taken.
  private var invocations: Set<CopyRecord.Value> = []

  /// The commits as one, or none.
  var commits: [SessionCommit] {
    guard let first = taken.first, let last = taken.last, taken.count > 1 else { return taken }
    var lists = [[CopyRecord]](repeating: [], count: CopyRecord.Kind.allCases.count)
    var turns: [Int: CopyRecord] = [:]
    for commit in taken {
      for record in commit.records {
        let kind = record.kind.code
        switch record.kind {
        // Several commits may have such a row. The record in the last commit says how the row is now.
        case .session, .standing, .saved:
          if lists[kind].isEmpty { lists[kind].append(record) } else { lists[kind][0] = record }
        case .turn: turns[record.int("number") ?? 0] = record
        default: lists[kind].append(record)
        }
      }
    }
    lists[CopyRecord.Kind.turn.code] = turns.sorted { $0.key < $1.key }.map(\.value)
    return [
      SessionCommit(
        session: first.session, base: first.base, end: last.end,
        records: SessionCommit.kinds.flatMap { lists[$0.code] }, gone: [], erased: [])
    ]
  }

  /// Takes a commit that goes on from those that were taken, and adds rows only, or one that makes a session; false for any other.
  mutating func take(_ commit: SessionCommit) -> Bool {
    guard commit.end != nil, commit.gone.isEmpty, commit.erased.isEmpty, !commit.isRemainder,
      !commit.isOfPurged,
      taken.last.map({ $0.session == commit.session && $0.end == commit.base }) ?? true
    else { return false }
    var lastEntry = lastEntry
    var new: Set<CopyRecord.Value> = []
    for record in commit.records {
      switch record.kind {
      case .session, .turn, .standing, .saved: continue
      case .entry:
        // A commit has its entries in their order. One that is not behind the last entry changes it, or another one before it.
        guard record.children.isEmpty, let position = record.int(at: EntryIndexes.position),
          position > lastEntry
        else { return false }
        lastEntry = position
      case .invocation:
        let id = record["id"]
        guard !invocations.contains(id), new.insert(id).inserted else { return false }
      // A record of any other kind may change a row, or has numbers of its commit.
      default: return false
      }
    }
    self.lastEntry = lastEntry
    invocations.formUnion(new)
    taken.append(commit)
    return true
  }
}
