#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeepsakeFiles

/// The bytes of a new artifact, or a place from which they can be read.
public struct ArtifactSource: Sendable {
  /// The kinds of sources.
  enum Origin: Sendable {
    case bytes([UInt8])
    case data(Data)
    case base64(String)
    /// The UTF-8 of a text, which is not copied as a whole.
    case text(String)
    /// Base64 inside of bytes that are in memory already, with its spelling.
    case spelled(ArraySlice<UInt8>, Base64Spelling)
    case file(path: String)
    case descriptor(OpenedFile)
    /// A closure that passes the bytes on in pieces, without suspending.
    case pieces(size: Int64, @Sendable (_ take: ([UInt8]) throws -> Void) throws -> Void)
    /// A closure that passes the bytes on in pieces, and may suspend.
    case chunks(@Sendable (_ take: ([UInt8]) throws -> Void) async throws -> Void)
    case known(Artifact.ID)
  }

  let origin: Origin

  /// Makes a source from bytes in memory.
  public static func bytes(_ bytes: [UInt8]) -> ArtifactSource {
    ArtifactSource(origin: .bytes(bytes))
  }

  /// Makes a source from data in memory.
  public static func data(_ data: Data) -> ArtifactSource {
    // The data is copied only when it is taken in, because this may run on the main actor.
    ArtifactSource(origin: .data(data))
  }

  /// Makes a source from base64 text, or from a `data:` URL with base64 or percent-encoding.
  ///
  /// Both alphabets are accepted, also wrapped and without padding. Attaching throws if the text was truncated or mangled. The
  /// type that a data URL declares is not used; the caller can declare it.
  /// - Parameter text: The base64 text or `data:` URL.
  public static func base64(_ text: String) -> ArtifactSource {
    ArtifactSource(origin: .base64(text))
  }

  /// Makes a source from a file that the caller vouches for; for a path from a tool or a model, use ``IntakeFolders``.
  ///
  /// Attaching refuses a folder, a pipe, a device, and a file that a store works with, before opening it: reading the database
  /// of an open store would cost the process the locks that keep the database sound.
  /// - Parameter url: A file URL.
  public static func file(_ url: URL) -> ArtifactSource {
    // A URL that is not a file URL is taken as a path with its scheme. No file has that path, so attaching fails.
    ArtifactSource(origin: .file(path: url.isFileURL ? url.path : url.absoluteString))
  }

  /// Makes a source from bytes that come in pieces, which are not held in memory together.
  ///
  /// If the task is cancelled before the sequence ends, nothing is kept.
  /// - Parameter chunks: The pieces, in order.
  public static func chunks<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) -> ArtifactSource
  where Chunks.Element == [UInt8] {
    ArtifactSource(
      origin: .chunks { take in
        for try await chunk in chunks { try take(chunk) }
        // A cancelled stream ends like a complete one, so its bytes must not be taken for the whole artifact.
        try Task.checkCancellation()
      })
  }

  /// Makes a source from an artifact that the store has already; attaching throws if the store does not have it.
  public static func artifact(_ id: Artifact.ID) -> ArtifactSource {
    ArtifactSource(origin: .known(id))
  }
}

extension ArtifactSource {
  /// A digest of the bytes as spelled in the source, which is cheaper than taking them in; nil if they are not in memory.
  var spellingDigest: SHA256Digest? {
    switch origin {
    case .bytes(let bytes): SHA256.digest(of: bytes)
    case .data(let data): SHA256.digest(of: [UInt8](data))
    case .base64(let text), .text(let text): SHA256.digest(of: Array(text.utf8))
    case .spelled(let text, _): SHA256.digest(of: Array(text))
    case .known(let id): id.digest
    case .file, .descriptor, .pieces, .chunks: nil
    }
  }
}
