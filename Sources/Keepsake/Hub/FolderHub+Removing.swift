#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Listing and removing artifacts.
///
/// An artifact that is about to be removed has another name, so that no commit finds it. Several stores may remove one artifact at once.
/// Each removal gives files a name of its own, and later touches only files of that name. So a store that looked at the sessions early
/// takes away nothing that a later one has to put back.
extension FolderHub {
  package func artifacts(after artifact: Artifact.ID?) async throws -> [HubArtifact] {
    try await run { [self] in try list(after: artifact?.digest.hex) }
  }

  /// Lists the next folder of artifacts that has any after a name.
  private func list(after last: String?) throws -> [HubArtifact] {
    let now = WallClock.seconds
    for name in try artifacts.names() where name.utf8.count == 2 && name >= last?.prefix(2) ?? "" {
      guard try artifacts.status(name)?.isDirectory == true else { continue }
      let shard = try artifacts.subdirectory(name)
      var found: [Artifact.ID: HubArtifact] = [:]
      for file in try shard.names() {
        let hex = file.hasPrefix(Self.going) ? String(file.suffix(64)) : file
        guard hex > last ?? "", let digest = SHA256Digest(hex: hex),
          file == digest.hex || file.hasPrefix(Self.going) && file.hasSuffix(digest.hex),
          let status = try shard.status(file), status.isRegular
        else { continue }
        let id = Artifact.ID(digest)
        found[id] = HubArtifact(
          id: id, size: status.size, age: .seconds(max(0, now - status.modified / 1_000_000_000)))
      }
      if !found.isEmpty { return found.values.sorted { $0.id < $1.id } }
    }
    return []
  }

  package func remove(
    _ artifacts: [Artifact.ID], unless needed: @Sendable () async throws -> Set<Artifact.ID>
  ) async throws {
    let artifacts = Set(artifacts)
    let mark = "\(Self.going)\(UUID().text)-"
    try await run { [self] in
      try inShards(artifacts) { hexes, shard in
        // A removal that was interrupted has left an artifact under a name that nobody will use again.
        let left = try shard.names().filter { $0.hasPrefix(Self.going) }
        for hex in hexes {
          for name in [hex] + left.filter({ $0.hasSuffix(hex) }) {
            try Self.move(name, to: mark + hex, in: shard)
          }
          try watch(.artifactGoing)
        }
      }
    }
    let kept: Set<Artifact.ID>
    do { kept = try await needed() } catch {
      try await settle(artifacts, mark, keeping: artifacts)
      throw error
    }
    try await settle(artifacts, mark, keeping: kept)
  }

  /// The beginning of the name of each file whose artifact is about to be removed. The name ends with the artifact's hash.
  private static let going = "going-"

  /// Returns the names that an artifact has in a folder while it is about to be removed.
  static func names(of hex: String, goingIn shard: Directory) throws(FileError) -> [String] {
    try shard.names().filter { $0.hasPrefix(going) && $0.hasSuffix(hex) }
  }

  /// Gives a file another name. Another store may have been faster, and then nothing happens.
  private static func move(_ name: String, to other: String, in shard: Directory) throws(FileError)
  {
    do { try shard.rename(name, to: shard, as: other) } catch {
      if error.code != .notFound { throw error }
    }
  }

  /// Puts back the artifacts that stay, and removes the others, where this removal still has them.
  ///
  /// The removal is ended in the folder in which it was begun, wherever that was moved meanwhile.
  private func settle(
    _ artifacts: Set<Artifact.ID>, _ mark: String, keeping kept: Set<Artifact.ID>
  ) async throws {
    let kept = Set(kept.map(\.digest.hex))
    try await threads.run { [self] in
      do {
        try inShards(artifacts) { hexes, shard in
          for hex in hexes {
            // Another store may have put the artifact again, and its file stays then.
            if kept.contains(hex), try !shard.exists(hex) {
              try Self.move(mark + hex, to: hex, in: shard)
            } else {
              do throws(FileError) { try shard.unlink(mark + hex) } catch {
                if error.code != .notFound { throw error }
              }
            }
          }
        }
      } catch { throw told(error) }
    }
  }

  /// Calls a closure with each folder of artifacts and their names in it, and syncs the folders. A folder that is not there is passed
  /// over.
  private func inShards(
    _ artifacts: Set<Artifact.ID>, _ body: ([String], Directory) throws -> Void
  ) throws {
    for (name, hexes) in Dictionary(grouping: artifacts.map(\.digest.hex), by: { $0.prefix(2) }) {
      do {
        let shard = try self.artifacts.subdirectory(String(name))
        try body(hexes, shard)
        try shard.sync()
      } catch let error as FileError where error.code == .notFound { continue }
    }
  }
}
