/// Has the bytes of artifacts that records name.
package protocol ArtifactBytes: Sendable {
  /// Returns the bytes of an artifact; nil if they are not there.
  func bytes(of artifact: Artifact.ID) -> ArtifactSource?

  /// Returns the size that an artifact must have; nil if any will do.
  func size(of artifact: Artifact.ID) -> Int64?

  /// The most artifacts that may be read at the same time.
  var readableAtOnce: Int { get }
}

extension ArtifactBytes {
  package func size(of artifact: Artifact.ID) -> Int64? { nil }

  package var readableAtOnce: Int { 1 }
}
