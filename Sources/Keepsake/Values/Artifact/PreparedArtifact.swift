#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Bytes that are hashed, and on the disk already if they are large, before a write transaction makes them an artifact.
struct PreparedArtifact: Sendable {
  let digest: SHA256Digest
  let size: Int64
  let sniffedType: MediaType
  let pixelSize: PixelSize?
  let content: Content

  /// The place of the prepared bytes.
  enum Content: Sendable {
    /// Small bytes, which go into the database.
    case row([UInt8])
    /// A large, synced file that waits to be renamed into place.
    case file(IncomingFile)
    /// Bytes that the store has already.
    case known
  }

  /// The number of bytes that the artifact adds to a transaction.
  var inlineSize: Int {
    if case .row(let bytes) = content { bytes.count } else { 0 }
  }
}
