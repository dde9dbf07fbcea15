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
    guard isInStep, report.failed.isEmpty else { return }
    if !artifacts.isEmpty {
      let known = try await knownVersions()
      let hub = hub
      try await hub.remove(artifacts) {
        try await hub.artifactsNamed(among: artifacts, beyond: known)
      }
    }
    try await handle.write { try $0.db.unsent.forget(removed: artifacts.map(\.digest)) }
  }

  /// Returns the versions of sessions up to which this store has all artifacts that they name.
  ///
  /// The last version of a deleted session may name what nothing here needs, because another store forked the session and did not tell
  /// the hub of the fork yet. So each such version is read, and one that names nothing is read once.
  private func knownVersions() async throws -> [UUID: Int64] {
    let (versions, deleted) = try handle.read { db in
      (try db.hubSessions.versions(), try db.hubSessions.deleted())
    }
    let hub = hub
    let naming = try await Abreast.map(deleted, atMost: ReadAhead.width) { row in
      try await hub.namesArtifacts(row)
    }
    if naming.contains(false) {
      try await handle.write { change in
        for (row, names) in zip(deleted, naming) where !names {
          try change.db.hubSessions.noteNamesNothing(row)
        }
      }
    }
    var known = versions
    for (row, names) in zip(deleted, naming) where names { known[row.id] = row.version - 1 }
    return known
  }
}

extension Hub {
  /// Tells whether a version of a session names artifacts, or can't be read.
  fileprivate func namesArtifacts(_ row: HubSessionTable.Row) async throws -> Bool {
    do {
      let part = try await versions(of: row.id, after: row.version - 1, bytes: 0)
      guard let version = part.versions.first, version.stamp == row.stamp else { return true }
      let commit = try SessionCommit(decoding: version.bytes)
      return commit.records.contains { !$0.artifacts.isEmpty }
    } catch  where !error.isOfMore { return true }
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
            let commit = try SessionCommit(decoding: version.bytes)
            named.formUnion(commit.records.flatMap(\.artifacts))
            after = version.version
          }
        } catch  where !error.isOfMore { return Set(artifacts) }
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
