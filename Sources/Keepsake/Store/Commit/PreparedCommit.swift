import KeepsakeFiles

/// A commit of another store, with its artifacts ready to be written.
struct PreparedCommit: Renewable {
  let commit: SessionCommit
  private(set) var artifacts: [Artifact.ID: PreparedArtifact]
  private let source: RestoreArtifacts
  var takenIn: [PreparedArtifact] { Array(artifacts.values) }

  /// Takes in the artifacts that the records of some commits name, each once.
  static func prepare(
    _ commits: [SessionCommit], from source: RestoreArtifacts
  ) async throws -> [PreparedCommit] {
    let needed = try commits.map { try source.needed(by: $0.records) }
    let artifacts = try await source.prepare(Set(needed.joined()).sorted())
    return zip(commits, needed).map { commit, needed in
      let mine = Dictionary(uniqueKeysWithValues: needed.map { ($0, artifacts[$0]) })
      return PreparedCommit(
        commit: commit, artifacts: mine.compactMapValues(\.self), source: source)
    }
  }

  func renewed(_ handle: StoreHandle) async throws -> PreparedCommit {
    var renewed = self
    renewed.artifacts = try await source.renewed(artifacts)
    return renewed
  }
}
