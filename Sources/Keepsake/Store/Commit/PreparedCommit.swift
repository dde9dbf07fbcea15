import KeepsakeFiles

/// A commit of another store, with its artifacts ready to be written.
struct PreparedCommit: Renewable {
  let commit: SessionCommit
  private(set) var artifacts: [Artifact.ID: PreparedArtifact]
  private let source: RestoreArtifacts
  var takenIn: [PreparedArtifact] { Array(artifacts.values) }

  /// Takes in the artifacts that the commit's records name.
  init(_ commit: SessionCommit, from source: RestoreArtifacts) async throws {
    self.commit = commit
    self.source = source
    artifacts = try await source.prepare(try source.needed(by: commit.records))
  }

  func renewed(_ handle: StoreHandle) async throws -> PreparedCommit {
    var renewed = self
    renewed.artifacts = try await source.renewed(artifacts)
    return renewed
  }
}
