import Keepsake

/// Writes one part of an entry as a block of a message's content.
struct AnthropicBlock {
  private let part: WirePart

  init(_ part: WirePart) { self.part = part }

  /// The JSON that may stand in place of a list of blocks; nil where a list is needed.
  /// - Parameter type: The type of the result block of one of the service's own tools; nil for other results.
  func alone(in type: String?) -> JSON? {
    switch part {
    case .text(let text): type == nil ? .string(text) : nil
    case .raw(let json): type == nil ? nil : json
    default: nil
    }
  }

  /// Whether a placeholder is written because the attachment's bytes are missing, or of a type that the service
  /// refuses.
  var isLost: Bool {
    guard case .attachment(let attachment) = part else { return false }
    return attachment.openURL == nil && (!attachment.isPresent || Self.kind(attachment) == nil)
  }

  var placeholder: String {
    if case .attachment(let attachment) = part { attachment.placeholder } else { "[attachment]" }
  }

  func write(to writer: inout RecordWriter) {
    part.write(
      to: &writer, isLost: isLost, text: { write($0, to: &$1) },
      attachment: { write($0, to: &$1) })
  }

  /// Writes a block of text, except for an empty text, which the service refuses.
  private func write(_ text: String, to writer: inout RecordWriter) {
    if text.isEmpty { return }
    writer.json.beginObject()
    writer.member("type", "text")
    writer.member("text", text)
    writer.json.endObject()
  }

  private func write(_ attachment: OutgoingAttachment, to writer: inout RecordWriter) {
    writer.json.beginObject()
    writer.member("type", Self.kind(attachment) ?? "image")
    writer.json.key("source")
    writer.json.beginObject()
    if let url = attachment.openURL {
      writer.member("type", "url")
      writer.member("url", url)
    } else {
      writer.member("type", "base64")
      writer.member("media_type", attachment.type.essence)
      writer.json.key("data")
      writer.string("", base64: attachment)
    }
    writer.json.endObject()
    if Self.kind(attachment) == "document" { writer.member("title", attachment.fileName) }
    writer.json.endObject()
  }

  /// The type of the block for an attachment; nil for a media type that the service refuses.
  private static func kind(_ attachment: OutgoingAttachment) -> String? {
    switch attachment.type.essence {
    case "image/png", "image/jpeg", "image/gif", "image/webp": "image"
    case "application/pdf": "document"
    default: nil
    }
  }
}
