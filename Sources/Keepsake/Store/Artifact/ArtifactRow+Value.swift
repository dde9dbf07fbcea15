extension ArtifactRow {
  /// Returns the artifact, whose bytes are read through a store.
  func value(_ handle: StoreHandle) -> Artifact {
    Artifact(
      id: Artifact.ID(digest), size: size,
      sniffedType: MediaType(type ?? "application/octet-stream"),
      pixelSize: pixels, home: Artifact.Home(store: handle.store, number: number, place: place))
  }
}
