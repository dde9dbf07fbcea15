/// An artifact as a hub lists it.
package struct HubArtifact: Sendable, Hashable {
  /// The artifact.
  package let id: Artifact.ID
  /// The number of its bytes, as the hub says it.
  package let size: Int64
  /// The time since its bytes were put, by the hub's clock where it has one.
  package let age: Duration

  package init(id: Artifact.ID, size: Int64, age: Duration) {
    self.id = id
    self.size = size
    self.age = age
  }
}
