import KeepsakeFiles

/// The artifacts that the commits of a hub name, which are fetched when they are taken in.
struct HubArtifacts: ArtifactBytes {
  let hub: any Hub
  /// The artifacts that the hub has.
  let present: Set<Artifact.ID>
  /// The number and the bytes of the artifacts that were fetched.
  let fetched = Locked((count: 0, bytes: Int64(0)))

  var readableAtOnce: Int { present.isEmpty ? 1 : Abreast.artifactLimit }

  func bytes(of artifact: Artifact.ID) -> ArtifactSource? {
    guard present.contains(artifact) else { return nil }
    return .chunks(HubPieces(hub: hub, artifact: artifact, fetched: fetched))
  }
}
