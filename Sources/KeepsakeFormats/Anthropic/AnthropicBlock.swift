import Keepsake

/// Writes one block of a message's content.
struct AnthropicBlock {
  private let part: WirePart

  init(_ part: WirePart) { self.part = part }

  /// What stands where a list of blocks could; nil where it has to be a list.
  /// - Parameter type: The type of the result, where it is one of the service's own tools.
  func alone(in type: String?) -> JSON? {
    switch part {
    case .text(let text): type == nil ? .string(text) : nil
    case .raw(let json): type == nil ? nil : json
    default: nil
    }
  }

  /// Whether words stand for bytes that are not here, or that the service does not take.
  var isLost: Bool {
    guard case .attachment(let attachment) = part else { return false }
    return attachment.openURL == nil && (!attachment.isPresent || Self.kind(attachment) == nil)
  }

  var placeholder: String {
    if case .attachment(let attachment) = part { attachment.placeholder } else { "[attachment]" }
  }

  func write(to writer: inout RecordWriter) {
    switch part {
    case .raw(let json): writer.json.raw(json)
    case .rawAttachment(let attachment): writer.raw(attachment)
    case .text(let text): write(text, to: &writer)
    case .attachment(let attachment):
      if isLost { return write(attachment.placeholder, to: &writer) }
      write(attachment, to: &writer)
    }
  }

  /// The service refuses an empty text.
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

  /// The block that takes bytes of a type; nil for a type that the service does not take.
  private static func kind(_ attachment: OutgoingAttachment) -> String? {
    switch attachment.type.essence {
    case "image/png", "image/jpeg", "image/gif", "image/webp": "image"
    case "application/pdf": "document"
    default: nil
    }
  }
}
