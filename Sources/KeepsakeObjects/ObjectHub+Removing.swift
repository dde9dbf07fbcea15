#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import Keepsake
import KeepsakeFiles

/// Listing and removing artifacts.
///
/// An artifact that is about to be removed has another key, so that no commit finds it. Several stores may remove one artifact at once.
/// Each removal has keys of its own, and later touches only those. So a store that looked at the sessions early takes away nothing that a
/// later one has to put back.
extension ObjectHub {
  package func artifacts(after artifact: Artifact.ID?) async throws -> [HubArtifact] {
    try await run {
      let now = WallClock.seconds
      let page = try await store.list(keys.artifacts, after: artifact.map(keys.artifact))
      var found = page.entries.compactMap { keys.artifact($0, now: now) }
      // Artifacts that are about to be removed stand under keys of their own. They are few, and all are read.
      let last = page.next == nil ? nil : found.last?.id
      // "0" comes after the "/" that the keys of the last artifact go on with.
      try await store.listAll(keys.going, after: artifact.map { keys.going($0) + "0" }) { page in
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
    let removal = UUID()
    try await run {
      // A removal that was interrupted has left an artifact under a key that nobody will use again.
      let left = try await allKeys(keys.going)
      _ = try await Abreast.map(artifacts) { [self] artifact in
        for key in [keys.artifact(artifact)] + left.filter({ $0.hasPrefix(keys.going(artifact)) }) {
          guard try await store.copy(key, to: keys.going(artifact, by: removal)) else { continue }
          try await store.delete(key)
        }
      }
    }
    let kept: Set<Artifact.ID>
    do { kept = try await needed() } catch {
      try await settle(artifacts, removal, keeping: Set(artifacts))
      throw error
    }
    try await settle(artifacts, removal, keeping: kept)
  }

  /// Returns all keys that begin with a text.
  func allKeys(_ prefix: String) async throws -> [String] {
    var found: [String] = []
    try await store.listAll(prefix) { page in
      found += page.entries.map(\.key)
      return true
    }
    return found
  }

  /// Puts back the artifacts that stay, and removes the others, where this removal still has them.
  private func settle(
    _ artifacts: [Artifact.ID], _ removal: UUID, keeping kept: Set<Artifact.ID>
  ) async throws {
    try await run {
      _ = try await Abreast.map(artifacts) { [self] artifact in
        let key = keys.going(artifact, by: removal)
        // The copy changes nothing where another store has put the artifact again: the bytes are the same.
        if kept.contains(artifact) {
          _ = try await store.copy(key, to: keys.artifact(artifact))
        }
        try await store.delete(key)
      }
    }
  }
}

extension ObjectKeys {
  /// Reads the object of an artifact in a listing; nil for an object that the hub does not make.
  fileprivate func artifact(_ entry: ObjectListing.Entry, now: Int64) -> HubArtifact? {
    let hex = entry.key.suffix(64)
    return listed(entry, hex, now: now) { entry.key == artifact($0) }
  }

  /// Reads the object of an artifact that is about to be removed; nil for any other object.
  fileprivate func going(_ entry: ObjectListing.Entry, now: Int64) -> HubArtifact? {
    let hex = entry.key.dropFirst(going.utf8.count).prefix(64)
    return listed(entry, hex, now: now) { entry.key.hasPrefix(going($0)) }
  }

  private func listed(
    _ entry: ObjectListing.Entry, _ hex: Substring, now: Int64, _ isKey: (Artifact.ID) -> Bool
  ) -> HubArtifact? {
    guard let digest = SHA256Digest(hex: String(hex)), isKey(Artifact.ID(digest)) else {
      return nil
    }
    return HubArtifact(
      id: Artifact.ID(digest), size: entry.size,
      age: .seconds(entry.written.map { max(0, now - $0) } ?? 0))
  }
}
