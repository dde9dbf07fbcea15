#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import KeepsakeFiles

/// Commits: what a store tells of its changes, and takes over from others.
extension Store {
  /// Returns what changed through this process since the last call, a commit for each session.
  ///
  /// Only a store that was opened with ``Options/tracksChanges`` knows it.
  @concurrent
  package func takeCommits() async throws -> [SessionCommit] {
    try await handle.write { change in
      guard try change.db.unsent.hasBegun() else {
        throw KeepsakeError(
          .invalid,
          "The store does not note its changes. Open it so that it does, before anybody else in this process opens it."
        )
      }
      return try CommitReader(in: change.db).take()
    }
  }

  /// Returns whole sessions as commits, for a store that has nothing of them, with those that they share entries with.
  @concurrent
  package func wholeCommits(of sessions: [UUID]) async throws -> [SessionCommit] {
    try handle.read { db in try WholeCommits(in: db).commits(of: sessions) }
  }

  /// Takes over a change to a session that another store made, in one transaction; after an error nothing has changed.
  ///
  /// - Parameters:
  ///   - commit: The change.
  ///   - artifacts: Gives the bytes of the artifacts that the change names. Those that the store has are not asked for.
  /// - Throws: A ``CopyFault`` if the commit is faulty, or a ``KeepsakeError`` with the code `conflict` if it was made to another
  ///   state of the session than the one here.
  @concurrent
  package func apply(_ commit: SessionCommit, artifacts: any ArtifactBytes) async throws {
    try await apply(commit, artifacts: artifacts, mayBeAhead: false) { _ in }
  }

  /// Takes over a change as ``apply(_:artifacts:)`` does, and notes in the same transaction that it did.
  ///
  /// - Parameters:
  ///   - commit: The change. None of its rows is listed as one that this store changed.
  ///   - artifacts: Gives the bytes of the artifacts that the change names.
  ///   - mayBeAhead: Whether the session may have some of these changes already.
  ///   - check: A closure that runs first in the same transaction, and throws if the commit must not be written.
  ///   - note: A closure that notes it. What was deleted it notes in a transaction of its own, after the session is gone.
  func apply(
    _ commit: SessionCommit, artifacts: any ArtifactBytes, mayBeAhead: Bool = true,
    checking check: @escaping @Sendable (Change) throws -> Void = { _ in },
    noting note: @escaping @Sendable (Change) throws -> Void
  ) async throws {
    let handle = handle
    if commit.isRemoval {
      try await remove(commit.session)
      return try await handle.write { change in
        try change.db.unsent.forget(removal: commit.session)
        try note(change)
      }
    }
    let source = RestoreArtifacts(source: artifacts, handle: handle)
    let prepared = try await PreparedCommit.prepare([commit], from: source)
    let outcome = try await handle.write(prepared, bytes: commit.size) { prepared, change in
      try check(change)
      let writer = CommitWriter(
        commit: commit, artifacts: prepared[0].artifacts, handle: handle, mayBeAhead: mayBeAhead)
      let outcome = try change.db.unsent.pausing { try writer.write(in: change) }
      try note(change)
      return outcome
    }
    if outcome.hasErased || !outcome.unused.digests.isEmpty {
      _ = try await handle.removeTraces(files: outcome.unused.digests, indexPieces: .max)
    }
  }
}

extension Store {
  /// Deletes a session, and of one that is there for its forks alone the rows that these don't need. Another task may do the same at the
  /// same time, and be done first.
  private func remove(_ session: UUID) async throws {
    let handle = handle
    let state = try handle.read { db in try db.sessions.standing(of: session.bytes)?.state }
    if state == SessionPresence.shown.rawValue {
      do { _ = try await handle.delete([session]) } catch let error as KeepsakeError
        where error.code == .notFound
      {}
    } else if state == SessionPresence.purged.rawValue {
      let (_, files) = try await handle.leavingRows {
        let first = try await handle.removing { limit, change in
          // Once the session is gone, its number may be another session's.
          guard let known = try change.db.sessions.standing(of: session.bytes),
            known.state == SessionPresence.purged.rawValue
          else { return RemovalStep(next: []) }
          try change.db.clearing.mark(known.number)
          return try RemovalStep(.session(known.number), limit: limit, in: change)
        }
        return try await handle.finish(first)
      }
      _ = try await handle.removeTraces(files: files, indexPieces: .max)
    }
  }
}

extension SessionCommit {
  /// About how many bytes the records add to a transaction.
  var size: Int { records.reduce(0) { $0 + $1.size } }
}
