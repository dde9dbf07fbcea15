import Keepsake
import KeepsakeFiles
import KeepsakeHTTP

/// The bytes of an artifact as an answer: a whole or a range, and never as active content of this server.
struct ArtifactAnswer {
  private let artifact: Artifact

  init(_ artifact: Artifact) { self.artifact = artifact }

  /// The types that a browser may show. Everything else is saved, whatever it says of itself.
  private static let shown: Set<String> = [
    "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp", "image/heic",
    "audio/mpeg", "audio/wav", "audio/x-wav", "audio/ogg", "audio/flac", "audio/mp4", "audio/aac",
    "audio/webm", "video/mp4", "video/webm", "video/ogg", "video/quicktime",
  ]

  /// The type by which the bytes are sent: the one that they show, where a browser may show them.
  private var type: String? {
    let type = artifact.sniffedType.essence
    return Self.shown.contains(type) ? type : nil
  }

  /// The answer, with the range that the request asks for. All bytes are checked before the first is sent.
  ///
  /// - Parameters:
  ///   - head: The head of the request.
  ///   - isImmutable: Whether the address always names these bytes, so that a browser need not ask again.
  ///   - name: The name under which the bytes are saved; nil where they may be shown.
  func response(to head: HTTPRequestHead, isImmutable: Bool, name: String? = nil) async throws
    -> HTTPResponse
  {
    var fields: HTTPFields = [
      "Content-Type": type ?? "application/octet-stream",
      "Content-Security-Policy": SecurityFields.artifactPolicy,
      "Cache-Control":
        isImmutable ? "private, max-age=31536000, immutable" : "private, no-cache",
    ]
    if type == nil || name != nil {
      fields["Content-Disposition"] = ContentDisposition.attachment(
        fileName: name ?? artifact.id.digest.hex)
    }
    return HTTPContent(
      try await source(), tag: HTTPTag(artifact.id.digest.hex), fields: fields
    ).response(to: head)
  }

  private func source() async throws -> HTTPContent.Source {
    if let file = try artifact.openFile() { return .file(HTTPFile(file), size: artifact.size) }
    return .bytes(Array(try await artifact.data()))
  }
}
