#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Several commits that a store takes over in one transaction, all or none.
struct CommitBatch: Sendable {
  /// The sessions whose rows go before the commits are written, which write them anew.
  var replacing: [UUID] = []
  /// The commits that came from elsewhere, in the order in which they are written. Nobody is told of them.
  var taken: [SessionCommit] = []
  /// The commits that this store makes of its own, after the others. They are listed as its changes.
  var made: [SessionCommit] = []
}

extension Store {
  /// Takes over several commits in one transaction.
  ///
  /// A handle of a session that is replaced does not find it any more, and has to be asked for again.
  /// - Parameters:
  ///   - batch: The commits.
  ///   - artifacts: Gives the bytes of the artifacts that the commits name. Those that the store has are not asked for.
  ///   - note: A closure that notes in the same transaction that it was done.
  func apply(
    _ batch: CommitBatch, artifacts: any ArtifactBytes,
    noting note: @escaping @Sendable (Change) throws -> Void
  ) async throws {
    let handle = handle
    let source = RestoreArtifacts(source: artifacts, handle: handle)
    var prepared: [PreparedCommit] = []
    for commit in batch.taken + batch.made {
      prepared.append(try await PreparedCommit(commit, from: source))
    }
    let size = (batch.taken + batch.made).reduce(0) { $0 + $1.size }
    let (unused, hasErased) = try await handle.write(prepared, bytes: size) { prepared, change in
      let unsent = change.db.unsent
      var unused = try unsent.pausing { try Replacement(batch.replacing).removeRows(in: change) }
      var hasErased = false
      func write(_ prepared: PreparedCommit) throws {
        let outcome = try CommitWriter(
          commit: prepared.commit, artifacts: prepared.artifacts, handle: handle, mayBeAhead: true
        ).write(in: change)
        unused.append(outcome.unused)
        if outcome.hasErased { hasErased = true }
      }
      try unsent.pausing { try prepared.prefix(batch.taken.count).forEach(write) }
      try prepared.dropFirst(batch.taken.count).forEach(write)
      var removed = Removal()
      try unused.removeRows(countingIn: &removed, in: change.db)
      try note(change)
      return (unused, hasErased)
    }
    if hasErased || !unused.digests.isEmpty {
      _ = try await handle.removeTraces(files: unused.digests, indexPieces: .max)
    }
  }
}

/// Sessions whose rows go, because others come in their place in the same transaction.
private struct Replacement {
  private let sessions: [UUID]

  init(_ sessions: [UUID]) { self.sessions = sessions }

  /// Removes all rows of the sessions, and returns the artifacts that may have lost their last use.
  func removeRows(in change: Change) throws -> UnusedArtifacts {
    let db = change.db
    var unused = UnusedArtifacts()
    let numbers = try sessions.compactMap { try db.sessions.standing(of: $0.bytes)?.number }
    // Forks go before the sessions that they were forked from, which nothing needs then.
    for number in numbers.sorted(by: >) {
      try db.clearing.hide(number)
      try db.clearing.mark(number)
      var targets: [RemovalStep.Target] = [.session(number)]
      while let target = targets.popLast() {
        switch target {
        case .session(let number):
          var removal = SessionRemoval(
            number, room: RemovalRoom(rows: .max), isReplacing: true, in: change)
          targets += try removal.step()
          unused.append(removal.unused)
        case .source(let number):
          var room = RemovalRoom(rows: .max)
          let isDone = try SourceRemoval.step(number, &room, leaving: &unused, in: db)
          if !isDone { targets.append(target) }
        }
      }
    }
    return unused
  }
}
