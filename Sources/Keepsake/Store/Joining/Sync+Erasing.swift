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
  func erasePast(of commit: SessionCommit, before version: Int64) async throws {
    guard commit.standsAlone else { return }
    try await hub.eraseVersions(of: commit.session, before: version)
  }

  /// Removes from the hub the artifacts that were removed here because nothing uses them any more.
  ///
  /// A store that is in step knows all that the hub's sessions use. So this waits while something could not be read or sent.
  /// - Parameter mark: The mark up to which the store has read what changed.
  func removeArtifacts(after mark: HubMark) async throws {
    let (artifacts, isInStep) = try handle.read { db in
      let isInStep = try db.hubSessions.faulty().isEmpty && db.offers.count() == 0
      return (try db.unsent.removedArtifacts().map(Artifact.ID.init), isInStep)
    }
    guard isInStep, report.failed.isEmpty else { return }
    if !artifacts.isEmpty {
      let known = try handle.read { try $0.hubSessions.versions() }
      let hub = hub
      try await hub.remove(artifacts) {
        try await hub.artifactsNamed(among: artifacts, after: mark, beyond: known)
      }
    }
    try await handle.write { try $0.db.unsent.forget(removed: artifacts.map(\.digest)) }
  }
}

extension Hub {
  /// Rewrites the versions of a session before one that takes their place, to remainders.
  func eraseVersions(of session: UUID, before version: Int64) async throws {
    var after: Int64 = 0
    while after < version - 1 {
      try Task.checkCancellation()
      let part = try await versions(of: session, after: after, bytes: 8 << 20)
      for old in part.versions where old.version < version {
        guard let remainder = try old.remainder(of: session) else { continue }
        _ = try await rewrite(old.version, of: session, stamp: old.stamp, as: remainder)
      }
      guard let last = part.versions.last else { return }
      after = last.version
    }
  }

  /// Returns those of some artifacts that commits name which the hub took after a mark, or all where the hub can't tell.
  ///
  /// - Parameters:
  ///   - artifacts: The artifacts.
  ///   - mark: The mark.
  ///   - known: The versions of sessions that are known to name none of them.
  func artifactsNamed(
    among artifacts: [Artifact.ID], after mark: HubMark, beyond known: [UUID: Int64]
  ) async throws -> Set<Artifact.ID> {
    let changes = try await changes(after: mark)
    guard !changes.mayHaveMissed else { return Set(artifacts) }
    var named: Set<Artifact.ID> = []
    for (session, newest) in changes.sessions {
      var after = known[session] ?? 0
      while after < newest {
        let part = try await versions(of: session, after: after, bytes: 8 << 20)
        for version in part.versions {
          let commit = try SessionCommit(decoding: version.bytes)
          named.formUnion(commit.records.flatMap(\.artifacts))
          after = version.version
        }
        if !part.hasMore { break }
      }
    }
    return named.intersection(artifacts)
  }
}

extension HubVersion {
  /// The bytes that take the place of the version's; nil if it is a remainder already.
  fileprivate func remainder(of session: UUID) throws -> [UInt8]? {
    // Bytes that are no commit told nobody anything, and go as well.
    guard let commit = try? SessionCommit(decoding: bytes) else {
      return try SessionCommit.removal(of: session).remainder().encoded()
    }
    return commit.isRemainder ? nil : try commit.remainder().encoded()
  }
}
