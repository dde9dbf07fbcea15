import KeepsakeFiles

/// A record that is checked against its digest, and has its artifacts ready to be written.
struct PreparedCopy: Renewable {
  let record: CopyRecord
  private(set) var artifacts: [Artifact.ID: PreparedArtifact]
  private let source: RestoreArtifacts
  var takenIn: [PreparedArtifact] { Array(artifacts.values) }

  private init(
    _ record: CopyRecord, _ artifacts: [Artifact.ID: PreparedArtifact], _ source: RestoreArtifacts
  ) {
    self.record = record
    self.artifacts = artifacts
    self.source = source
  }

  /// Prepares the artifacts of a batch of records, each artifact once.
  static func prepare(
    _ records: [CopyRecord], of manifest: CopyManifest, from source: RestoreArtifacts
  ) async throws -> [PreparedCopy] {
    let names = records.map { record in
      record.artifacts.filter { manifest.artifacts[$0] != nil }
    }
    let artifacts = try await source.prepare(Set(names.joined()).sorted())
    return zip(records, names).map { record, names in
      PreparedCopy(record, names.reduce(into: [:]) { $0[$1] = artifacts[$1] }, source)
    }
  }

  func renewed(_ handle: StoreHandle) async throws -> PreparedCopy {
    var renewed = self
    renewed.artifacts = try await source.renewed(artifacts)
    return renewed
  }
}
