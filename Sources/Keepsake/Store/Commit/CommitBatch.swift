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
  /// The replaced session that went on in two stores. The part that this store wrote becomes a session of its own, so nobody goes on with a
  /// handle of the replaced session, or of a fork of it.
  var parting: UUID?
  /// The commits that came from elsewhere, in the order in which they are written. Nobody is told of them.
  var taken: [SessionCommit] = []
  /// The commits that this store makes of its own, after the others. They are listed as its changes.
  var made: [SessionCommit] = []
  /// The session that was deleted here, and is taken over for forks alone. It is hidden in the same transaction, and nobody who observes
  /// the store hears of it.
  var hiding: UUID?
}

extension Store {
  /// Takes over several commits in one transaction.
  ///
  /// A handle of a session that is replaced stays good, unless the session parts, or shares entries of another session than before. Such a
  /// session has to be asked for again.
  /// - Parameters:
  ///   - batch: The commits.
  ///   - artifacts: Gives the bytes of the artifacts that the commits name. Those that the store has are not asked for.
  ///   - check: A closure that throws if the store is not any more what the commits were made for.
  ///   - note: A closure that notes in the same transaction that it was done.
  func apply(
    _ batch: CommitBatch, artifacts: any ArtifactBytes,
    checking check: @escaping @Sendable (Change) throws -> Void,
    noting note: @escaping @Sendable (Change) throws -> Void
  ) async throws {
    let handle = handle
    let source = RestoreArtifacts(source: artifacts, handle: handle)
    let prepared = try await PreparedCommit.prepare(batch.taken + batch.made, from: source)
    let size = (batch.taken + batch.made).reduce(0) { $0 + $1.size }
    let (unused, hasErased) = try await handle.write(prepared, bytes: size) { prepared, change in
      try check(change)
      let unsent = change.db.unsent
      var numbers = try ReplacedNumbers(
        of: batch.replacing.filter { $0 != batch.parting }, in: change.db)
      var unused = try unsent.pausing { try Replacement(batch.replacing).removeRows(in: change) }
      var hasErased = false
      func write(_ prepared: PreparedCommit) throws {
        let outcome = try CommitWriter(
          commit: prepared.commit, artifacts: prepared.artifacts, handle: handle,
          number: try numbers.next(for: prepared.commit, in: change.db), mayBeAhead: true,
          isSilent: prepared.commit.session == batch.hiding
        ).write(in: change)
        unused.append(outcome.unused)
        if outcome.hasErased { hasErased = true }
      }
      try unsent.pausing { try prepared.prefix(batch.taken.count).forEach(write) }
      try prepared.dropFirst(batch.taken.count).forEach(write)
      if let session = batch.hiding { try unsent.pausing { try Self.hide(session, in: change.db) } }
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

extension Store {
  /// Makes a session one that was deleted, and is there for its forks alone. All of its rows stay.
  private static func hide(_ session: UUID, in db: Tables) throws {
    guard let known = try db.sessions.standing(of: session.bytes) else { return }
    let row = try SessionRow(known.number, id: session, orPurged: true, in: db)
    try db.commits.hide(known.number, entries: row.entries, updated: nil)
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
    var numbers: [Int64] = []
    for session in sessions {
      _ = try db.sessions.hide(session)
      if let known = try db.sessions.standing(of: session.bytes) { numbers.append(known.number) }
    }
    // Forks go before the sessions that they were forked from, which nothing needs then.
    for number in numbers.sorted(by: >) where try db.sessions.removed(number) != nil {
      try db.clearing.mark(number)
      var targets: [RemovalStep.Target] = [.session(number)]
      while let target = targets.popLast() {
        switch target {
        case .session(let number):
          var removal = SessionRemoval(
            number, room: RemovalRoom(rows: .max), isReplacing: true, in: change)
          // A deleted session that was needed by these alone stays: they come again.
          targets += try removal.step().filter { target in
            if case .session(let number) = target { numbers.contains(number) } else { true }
          }
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
