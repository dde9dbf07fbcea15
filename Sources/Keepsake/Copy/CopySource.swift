/// A copy that sessions are restored from: what it holds, and its records, as often as they are asked for.
package protocol CopySource: Sendable {
  /// The codec's name.
  var format: String { get }
  var manifest: CopyManifest { get }

  /// The bytes of an artifact that the manifest names; nil where they were left out.
  func bytes(of artifact: Artifact.ID) -> ArtifactSource?

  /// Begins to read from the start.
  func open() throws -> any CopyReading
}

/// Reads a copy's records, one after the other.
package protocol CopyReading {
  /// The next record; nil at the end.
  mutating func next() throws -> CopyRecord?
}

extension ArtifactSource {
  /// Bytes that are handed over piece by piece, as often as they are asked for, and on any thread.
  /// - Parameter size: How many there should be.
  package static func pieces(
    size: Int64, _ hand: @escaping @Sendable (_ take: ([UInt8]) throws -> Void) throws -> Void
  ) -> ArtifactSource {
    ArtifactSource(origin: .pieces(size: size, hand))
  }
}
