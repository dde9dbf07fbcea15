package import Keepsake
import KeepsakeFiles

extension ObjectHub {
  package func missing(of artifacts: [Artifact.ID]) async throws -> [Artifact.ID] {
    try await run { try await lacking(artifacts) }
  }

  package func get(
    _ artifact: Artifact.ID, _ take: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws {
    try await run {
      // An artifact that another store is about to remove has another key until that store knows whether it is needed.
      let key = keys.artifact(artifact)
      var finding = try await read(artifact, at: key, take)
      if finding == .missing {
        for place in try await allKeys(keys.going(artifact)) + [key] where finding == .missing {
          finding = try await read(artifact, at: place, take)
        }
      }
      switch finding {
      case .right: break
      case .missing:
        throw KeepsakeError(
          .artifactMissing, "The hub at '\(address)' does not have \(artifact).",
          object: artifact.description)
      case .altered: throw altered(artifact)
      }
    }
  }

  package func put(
    _ artifact: Artifact.ID,
    _ hand: @escaping @Sendable (_ take: ([UInt8]) throws -> Void) throws -> Void
  ) async throws {
    try await run {
      // Bytes that are wrong are replaced by the right ones.
      if try await read(artifact, at: keys.artifact(artifact), { _ in }) == .right { return }
      try await ArtifactUpload(
        store, artifact, key: keys.artifact(artifact), threads: threads
      ).run(hand)
    }
  }

  /// Returns those of the artifacts that are not there.
  func lacking(_ artifacts: [Artifact.ID]) async throws -> [Artifact.ID] {
    let isThere = try await Abreast.map(artifacts) { [self] artifact in
      try await store.head(keys.artifact(artifact)) != nil
    }
    return zip(artifacts, isThere).filter { !$0.1 }.map(\.0)
  }

  private enum Finding { case right, missing, altered }

  /// Reads an artifact's bytes, and looks whether they are the right ones.
  private func read(
    _ artifact: Artifact.ID, at key: String, _ take: ([UInt8]) throws -> Void
  ) async throws -> Finding {
    var hash = SHA256()
    var place: Int64 = 0
    while true {
      let part = try await store.get(key, from: place, count: ArtifactUpload.piece)
      guard let part else { return place == 0 ? .missing : .altered }
      hash.update(part.bytes)
      // An error of the caller's closure is given back as it is.
      if !part.bytes.isEmpty { try take(part.bytes) }
      place += Int64(part.bytes.count)
      if part.bytes.isEmpty || place >= part.size { break }
    }
    return hash.finalize() == artifact.digest ? .right : .altered
  }

  private func altered(_ artifact: Artifact.ID) -> KeepsakeError {
    KeepsakeError(
      .artifactDamaged,
      "The bytes of \(artifact) in the hub at '\(address)' were altered. A store that has the artifact can put it again.",
      object: artifact.description, cause: HubFault.damaged(session: nil))
  }
}
