/// A copy from which sessions are restored, whose records can be read any number of times.
package protocol CopySource: ArtifactBytes {
  /// The name of the codec that reads the copy.
  var format: String { get }
  var manifest: CopyManifest { get }

  /// Begins to read the records from the start.
  func open() throws -> any CopyReading
}

extension CopySource {
  package func size(of artifact: Artifact.ID) -> Int64? { manifest.artifacts[artifact] ?? 0 }
}

extension ArtifactSource {
  /// Makes a source from bytes that a closure passes on in pieces, any number of times, on any thread.
  ///
  /// - Parameters:
  ///   - size: The number of bytes that are expected.
  ///   - hand: A closure that passes the pieces on in order.
  /// - Returns: The source.
  package static func pieces(
    size: Int64, _ hand: @escaping @Sendable (_ take: ([UInt8]) throws -> Void) throws -> Void
  ) -> ArtifactSource {
    ArtifactSource(origin: .pieces(size: size, hand))
  }
}
