package import Keepsake
import KeepsakeFiles

/// Listing and removing artifacts.
extension ObjectHub {
  package func artifacts(after artifact: Artifact.ID?) async throws -> [HubArtifact] {
    try await run {
      let now = WallClock.seconds
      let page = try await store.list(keys.artifacts, after: artifact.map(keys.artifact))
      var found = page.entries.compactMap { keys.artifact($0, now: now) }
      // Artifacts that are about to be removed stand under keys of their own. They are few, and all are read.
      let last = page.next == nil ? nil : found.last?.id
      try await store.listAll(keys.going, after: artifact.map(keys.going)) { page in
        found += page.entries.compactMap { keys.going($0, now: now) }.filter { going in
          going.id <= last ?? going.id && !found.contains { $0.id == going.id }
        }
        return true
      }
      return found.sorted { $0.id < $1.id }
    }
  }

  package func remove(
    _ artifacts: [Artifact.ID], unless needed: @Sendable () async throws -> Set<Artifact.ID>
  ) async throws {
    let artifacts = Array(Set(artifacts))
    try await run {
      _ = try await Abreast.map(artifacts) { [self] artifact in
        let key = keys.artifact(artifact)
        guard try await store.copy(key, to: keys.going(artifact)) else { return }
        try await store.delete(key)
      }
    }
    let kept: Set<Artifact.ID>
    do { kept = try await needed() } catch {
      try await settle(artifacts, keeping: Set(artifacts))
      throw error
    }
    try await settle(artifacts, keeping: kept)
  }

  /// Puts back the artifacts that stay, and removes the others.
  private func settle(_ artifacts: [Artifact.ID], keeping kept: Set<Artifact.ID>) async throws {
    try await run {
      _ = try await Abreast.map(artifacts) { [self] artifact in
        // The copy changes nothing where another store has put the artifact again: the bytes are the same.
        if kept.contains(artifact) {
          _ = try await store.copy(keys.going(artifact), to: keys.artifact(artifact))
        }
        try await store.delete(keys.going(artifact))
      }
    }
  }
}

extension ObjectKeys {
  /// Reads the object of an artifact in a listing; nil for an object that the hub does not make.
  fileprivate func artifact(_ entry: ObjectListing.Entry, now: Int64) -> HubArtifact? {
    listed(entry, now: now) { artifact($0) }
  }

  /// Reads the object of an artifact that is about to be removed; nil for any other object.
  fileprivate func going(_ entry: ObjectListing.Entry, now: Int64) -> HubArtifact? {
    listed(entry, now: now) { going($0) }
  }

  private func listed(
    _ entry: ObjectListing.Entry, now: Int64, _ key: (Artifact.ID) -> String
  ) -> HubArtifact? {
    guard let digest = SHA256Digest(hex: String(entry.key.suffix(64))),
      key(Artifact.ID(digest)) == entry.key
    else { return nil }
    return HubArtifact(
      id: Artifact.ID(digest), size: entry.size,
      age: .seconds(entry.written.map { max(0, now - $0) } ?? 0))
  }
}
