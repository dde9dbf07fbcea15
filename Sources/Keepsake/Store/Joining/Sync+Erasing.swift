#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Taking out of the hub what was erased or deleted here.
///
/// A commit that erases has the whole session, and one that deletes has what forks still need of it. Once the hub has such a
/// commit, the versions before it are not needed any more, and each is rewritten to a remainder that says nothing.
extension Sync {
  /// Rewrites the versions before a commit that the hub has taken, if that takes their place.
  ///
  /// The hub is asked for the commit first. After a failover it may have said yes and lost it, and then nothing else has what the
  /// older versions say.
  func erasePast(of commit: SessionCommit, at stamp: UUID, as version: Int64) async throws {
    guard commit.standsAlone, version > 1 else { return }
    let there = try await hub.versions(of: commit.session, after: version - 1, bytes: 0)
    guard there.versions.first?.stamp == stamp else { return }
    try await hub.eraseVersions(of: commit.session, before: version)
    try await noteErasing()
  }

  /// Removes from the hub the artifacts that were removed here because nothing uses them any more.
  ///
  /// A store that is in step knows all that the hub's sessions use, but for what others need of deleted sessions. So this waits while
  /// something could not be read or sent, and reads the hub's versions of deleted sessions.
  ///
  /// A shared store has a part of what the hub has, and leaves them to a sweep.
  func removeArtifacts() async throws {
    if isShared { return }
    let (artifacts, isInStep) = try handle.read { db in
      // The hub's version of a deleted session may name more than forks still need, until the hub is told less.
      let isInStep =
        try db.hubSessions.faulty().isEmpty && db.offers.count() == 0
        && db.unsent.removals().isEmpty
      return (try db.unsent.removedArtifacts().map(Artifact.ID.init), isInStep)
    }
    guard isInStep, report.failed.isEmpty, !artifacts.isEmpty, try mayRemoveMore() else { return }
    // An artifact that a deleted session keeps stays listed, for a sync after the hub's version of that session has changed.
    let kept = try await keptOfDeleted()
    let removable = artifacts.filter { !kept.contains($0) }
    if removable.isEmpty { return }
    let known = try handle.read { try $0.hubSessions.versions() }
    let hub = hub
    try await hub.remove(removable) {
      try await hub.artifactsNamed(among: removable, beyond: known)
    }
    try await handle.write { try $0.db.unsent.forget(removed: removable.map(\.digest)) }
  }

  /// Tells whether some artifact may be removed now that could not be removed before. A sync that finds nothing new does not look again for
  /// an artifact that the hub's version of a deleted session may keep for another store.
  private func mayRemoveMore() throws -> Bool {
    if report != SyncReport() { return true }
    let deleted = try handle.read { try $0.hubSessions.deleted() }
    return !deleted.keepsForOthers || !deleted.unread.isEmpty
  }

  /// Returns the artifacts that the hub's versions of deleted sessions keep.
  ///
  /// Nothing here may need them, and a fork that another store made and did not tell the hub yet may. A version that keeps none is read
  /// once.
  private func keptOfDeleted() async throws -> Set<Artifact.ID> {
    let deleted = try handle.read { try $0.hubSessions.deleted() }
    let rows = deleted.unread + deleted.keeping
    let hub = hub
    let kept = try await Abreast.map(rows, atMost: ReadAhead.width) { try await hub.kept(by: $0) }
    if !deleted.unread.isEmpty {
      try await handle.write { change in
        for (row, kept) in zip(deleted.unread, kept) {
          try change.db.hubSessions.note(row, keepsArtifacts: !kept.isEmpty)
        }
      }
    }
    return Set(kept.joined())
  }
}

extension Hub {
  /// Returns the artifacts that the version of a deleted session keeps. A version that can't be read, or was replaced, keeps none.
  fileprivate func kept(by row: HubSessionTable.Row) async throws -> Set<Artifact.ID> {
    do {
      let part = try await versions(of: row.id, after: row.version - 1, bytes: 0)
      guard let version = part.versions.first, version.stamp == row.stamp else { return [] }
      return Set(try version.commit.records.flatMap(\.requiredArtifacts))
    } catch let error where !error.isOfMore { return [] }
  }

  /// Rewrites the versions of a session before one that takes their place, to remainders.
  func eraseVersions(of session: UUID, before version: Int64) async throws {
    var after: Int64 = 0
    while after < version - 1 {
      try Task.checkCancellation()
      let part = try await versions(of: session, after: after, bytes: Sync.partBytes)
      for old in part.versions where old.version < version {
        guard let remainder = try old.remainder(of: session) else { continue }
        _ = try await rewrite(old.version, of: session, stamp: old.stamp, as: remainder)
      }
      guard let last = part.versions.last else { return }
      after = last.version
    }
  }

  /// Returns those of some artifacts that newer commits name than somebody has read.
  ///
  /// The directory is read for that, because it is the truth, and what the hub says of what changed is a hint.
  /// - Parameters:
  ///   - artifacts: The artifacts.
  ///   - known: The versions of sessions that are known to name none of them.
  /// - Returns: The artifacts that are named; all of them where a session can't be read.
  func artifactsNamed(among artifacts: [Artifact.ID], beyond known: [UUID: Int64]) async throws
    -> Set<Artifact.ID>
  {
    let directory = try await directory()
    guard directory.failures.isEmpty else { return Set(artifacts) }
    var named: Set<Artifact.ID> = []
    for head in directory.heads {
      var after = known[head.session] ?? 0
      while after < head.version {
        let part: HubVersions
        do {
          part = try await versions(of: head.session, after: after, bytes: Sync.partBytes)
          for version in part.versions {
            let commit = try version.commit
            named.formUnion(commit.records.flatMap(\.artifacts))
            after = version.version
          }
        } catch let error where !error.isOfMore { return Set(artifacts) }
        if !part.hasMore { break }
      }
    }
    return named.intersection(artifacts)
  }
}

extension HubVersion {
  /// The bytes that take the place of the version's; nil if it is a remainder already.
  fileprivate func remainder(of session: UUID) throws -> [UInt8]? {
    // Bytes that are no commit of the session are replaced as well, because no store can use them.
    let commit = try? Sync.Version(self, of: session).commit
    if commit?.isRemainder == true { return nil }
    return try (commit ?? .removal(of: session)).remainder().encoded(
      at: CommitPlace(stamp: stamp, base: base))
  }
}
