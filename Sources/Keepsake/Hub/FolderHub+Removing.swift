import KeepsakeFiles

/// Listing and removing artifacts.
extension FolderHub {
  package func artifacts(after artifact: Artifact.ID?) async throws -> [HubArtifact] {
    try Task.checkCancellation()
    return try await threads.run { [self] in
      do { return try list(after: artifact?.digest.hex) } catch { throw told(error) }
    }
  }

  /// Lists the next folder of artifacts that has any after a name.
  private func list(after last: String?) throws -> [HubArtifact] {
    let now = WallClock.seconds
    for name in try artifacts.names() where name.utf8.count == 2 && name >= last?.prefix(2) ?? "" {
      guard try artifacts.status(name)?.isDirectory == true else { continue }
      let shard = try artifacts.subdirectory(name)
      var found: [Artifact.ID: HubArtifact] = [:]
      for file in try shard.names() {
        let hex = file.hasPrefix(Self.goingPrefix) ? String(file.suffix(64)) : file
        guard hex > last ?? "", let digest = SHA256Digest(hex: hex),
          file == digest.hex || file == Self.going(digest.hex),
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
    try Task.checkCancellation()
    let artifacts = Set(artifacts)
    try await threads.run { [self] in
      do {
        try inShards(artifacts) { hex, shard in
          guard try shard.exists(hex) else { return }
          try shard.rename(hex, to: shard, as: Self.going(hex))
          try watch(.artifactGoing)
        }
      } catch { throw told(error) }
    }
    let kept: Set<Artifact.ID>
    do { kept = try await needed() } catch {
      try await settle(artifacts, keeping: artifacts)
      throw error
    }
    try await settle(artifacts, keeping: kept)
  }

  private static let goingPrefix = "going-"

  /// The name of an artifact that is about to be removed.
  static func going(_ hex: String) -> String { goingPrefix + hex }

  /// Puts back the artifacts that stay, and removes the others.
  private func settle(_ artifacts: Set<Artifact.ID>, keeping kept: Set<Artifact.ID>) async throws {
    let kept = Set(kept.map(\.digest.hex))
    try await threads.run { [self] in
      do {
        try inShards(artifacts) { hex, shard in
          guard try shard.exists(Self.going(hex)) else { return }
          // Another store may have put the artifact again, and its file stays then.
          if kept.contains(hex), try !shard.exists(hex) {
            try shard.rename(Self.going(hex), to: shard, as: hex)
          } else {
            try shard.unlink(Self.going(hex))
          }
        }
      } catch { throw told(error) }
    }
  }

  /// Calls a closure with the name of each artifact and its folder, and syncs the folders. A folder that is not there is passed over.
  private func inShards(
    _ artifacts: Set<Artifact.ID>, _ body: (String, Directory) throws -> Void
  ) throws {
    for (name, some) in Dictionary(grouping: artifacts, by: { $0.digest.hex.prefix(2) }) {
      do {
        let shard = try self.artifacts.subdirectory(String(name))
        for artifact in some { try body(artifact.digest.hex, shard) }
        try shard.sync()
      } catch let error as FileError where error.code == .notFound { continue }
    }
  }
}
