#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeepsakeFiles

/// Where an artifact's bytes come from.
public struct ArtifactSource: Sendable {
  enum Origin: Sendable {
    case bytes([UInt8])
    case data(Data)
    case base64(String)
    /// The UTF-8 of a text, which is not copied as a whole.
    case text(String)
    /// Base64 whose spelling was found, in bytes that were read anyway.
    case spelled(ArraySlice<UInt8>, Base64Spelling)
    case file(path: String)
    case descriptor(OpenedFile)
    /// Hands its pieces over, one after the other, without waiting for anybody.
    case pieces(size: Int64, @Sendable (_ take: ([UInt8]) throws -> Void) throws -> Void)
    /// The same, for whoever can wait.
    case chunks(@Sendable (_ take: ([UInt8]) throws -> Void) async throws -> Void)
    case known(Artifact.ID)
  }

  let origin: Origin

  public static func bytes(_ bytes: [UInt8]) -> ArtifactSource {
    ArtifactSource(origin: .bytes(bytes))
  }

  public static func data(_ data: Data) -> ArtifactSource {
    // Copied only when it is taken in: here the caller may be the main actor.
    ArtifactSource(origin: .data(data))
  }

  /// Base64 text, or a `data:` URL: with base64 or percent-encoded.
  ///
  /// Both alphabets are taken, also wrapped, and without padding; what was cut off or mangled is refused when it is
  /// attached. The type that a data URL declares is the caller's to hand on.
  public static func base64(_ text: String) -> ArtifactSource {
    ArtifactSource(origin: .base64(text))
  }

  /// A file that the caller vouches for. For a path that a tool or a model named, use ``IntakeFolders``.
  ///
  /// When it is attached, a folder, a pipe, a device, and a file that a store works with are refused, before they are opened.
  /// To read the database of an open store would cost the process the locks that keep it sound.
  public static func file(_ url: URL) -> ArtifactSource {
    // A URL that is no file URL is taken as a path, scheme included: no file has that path, so attaching it fails.
    ArtifactSource(origin: .file(path: url.isFileURL ? url.path : url.absoluteString))
  }

  /// Bytes that come in pieces; they are not held in memory together.
  ///
  /// When the task is cancelled before the sequence has ended, nothing is kept.
  public static func chunks<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) -> ArtifactSource
  where Chunks.Element == [UInt8] {
    ArtifactSource(
      origin: .chunks { take in
        for try await chunk in chunks { try take(chunk) }
        // A cancelled stream ends like a complete one: what came until then must not be taken for all of it.
        try Task.checkCancellation()
      })
  }

  /// Bytes that the store holds already.
  public static func artifact(_ id: Artifact.ID) -> ArtifactSource {
    ArtifactSource(origin: .known(id))
  }
}

extension ArtifactSource {
  /// Of the bytes as they are spelled here, which costs less than taking them in; nil where they are not in memory.
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

/// A file that was opened, and checked, before it is read.
final class OpenedFile: Sendable {
  private let file: FileDescriptor
  /// The most that is read of it, however it grows.
  let limit: Int64?

  init(_ file: consuming FileDescriptor, limit: Int64? = nil) {
    self.file = file
    self.limit = limit
  }

  func use<Result>(_ body: (borrowing FileDescriptor) throws -> Result) rethrows -> Result {
    try body(file)
  }
}
