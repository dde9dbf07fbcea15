extension OpenStore: ArtifactStore {}

extension Artifact.Home {
  /// The open store that has the bytes. Nothing else is a store of artifacts.
  var open: OpenStore {
    guard let open = store as? OpenStore else {
      preconditionFailure("An artifact came from something that is no open store")
    }
    return open
  }
}
