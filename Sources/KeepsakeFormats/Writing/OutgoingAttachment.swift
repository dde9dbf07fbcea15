package import Keepsake

/// An attachment as it is written, with its bytes or without them.
package struct OutgoingAttachment: Sendable {
  /// Where the bytes of the attachment come from.
  package enum Content: Sendable {
    case artifact(Artifact)
    case bytes([UInt8])
    /// The attachment has no bytes, or they are left out, and a placeholder is written.
    case absent
  }

  package var content: Content
  package var mediaType: MediaType?
  package var label: String?
  package var caption: String?
  /// The URL or path by which the source named the attachment.
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
    // The conversation uses the foreign label, even where the session already had that label.
    self.init(
      content, mediaType: attachment.mediaType,
      label: attachment.declaredLabel ?? attachment.label, caption: attachment.caption,
      reference: attachment.reference, fileName: attachment.fileName)
  }

  /// The declared media type, else the type of the bytes.
  var type: MediaType {
    if let mediaType { return mediaType }
    if case .artifact(let artifact) = content { return artifact.sniffedType }
    return "application/octet-stream"
  }

  var isPresent: Bool { if case .absent = content { false } else { true } }

  /// The text in place of an attachment that can't be written, such as `[image_1: a ripe banana]`.
  var placeholder: String {
    "[\([label ?? "attachment", caption].compactMap(\.self).joined(separator: ": "))]"
  }

  /// Passes the bytes to a closure in pieces, whose lengths are divisible by three except for the last.
  func read(_ take: ([UInt8]) throws -> Void) async throws {
    switch content {
    case .artifact(let artifact):
      for try await piece in artifact.chunks(of: 3 << 18) { try take(piece) }
    case .bytes(let bytes): try take(bytes)
    case .absent: break
    }
  }
}
