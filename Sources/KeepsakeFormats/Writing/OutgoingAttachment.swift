package import Keepsake

/// What is written where an attachment stands.
package struct OutgoingAttachment: Sendable {
  package enum Content: Sendable {
    case artifact(Artifact)
    case bytes([UInt8])
    /// There are none, or they are not to be given: a text takes their place.
    case absent
  }

  package var content: Content
  package var mediaType: MediaType?
  package var label: String?
  package var caption: String?
  /// The URL that it was named by.
  package var reference: String?
  package var fileName: String?

  package init(
    _ content: Content, mediaType: MediaType? = nil, label: String? = nil, caption: String? = nil,
    reference: String? = nil, fileName: String? = nil
  ) {
    self.content = content
    self.mediaType = mediaType
    self.label = label
    self.caption = caption
    self.reference = reference
    self.fileName = fileName
  }

  init(_ attachment: Entry.Attachment, _ content: Content) {
    // A foreign label that was taken in the session is still what the conversation calls it.
    self.init(
      content, mediaType: attachment.mediaType,
      label: attachment.declaredLabel ?? attachment.label, caption: attachment.caption,
      reference: attachment.reference, fileName: attachment.fileName)
  }

  /// As declared; else as the bytes say.
  var type: MediaType {
    if let mediaType { return mediaType }
    if case .artifact(let artifact) = content { return artifact.sniffedType }
    return "application/octet-stream"
  }

  var isPresent: Bool { if case .absent = content { false } else { true } }

  /// What stands for it where it can't be: `[image_1: a ripe banana]`.
  var placeholder: String {
    "[\([label ?? "attachment", caption].compactMap(\.self).joined(separator: ": "))]"
  }

  /// Hands over its bytes, in pieces whose lengths divide by three but for the last.
  func read(_ take: ([UInt8]) throws -> Void) async throws {
    switch content {
    case .artifact(let artifact):
      for try await piece in artifact.chunks(of: 3 << 18) { try take(piece) }
    case .bytes(let bytes): try take(bytes)
    case .absent: break
    }
  }
}
