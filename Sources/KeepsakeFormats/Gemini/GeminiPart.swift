import Keepsake

/// Writes one part of a content of Gemini.
enum GeminiPart {
  /// Returns whether a placeholder is written, because neither the attachment's bytes nor an address that the service opens
  /// are known.
  static func isLost(_ attachment: OutgoingAttachment) -> Bool {
    !attachment.isPresent && attachment.openURL == nil
      && !(attachment.reference?.hasPrefix("gs://") ?? false)
  }

  static func write(
    _ part: WirePart, to writer: inout RecordWriter, _ others: [(key: String, value: JSON)]
  ) {
    switch part {
    case .raw(let json): return writer.json.raw(json)
    case .rawAttachment(let attachment): return writer.raw(attachment)
    default: break
    }
    writer.json.beginObject()
    switch part {
    case .text(let text): writer.member("text", text)
    case .attachment(let attachment) where isLost(attachment):
      writer.member("text", attachment.placeholder)
    case .attachment(let attachment) where attachment.isPresent:
      writer.json.key("inlineData")
      writer.json.beginObject()
      writer.member("mimeType", attachment.type.description)
      writer.json.key("data")
      writer.string("", base64: attachment)
      writer.member("displayName", attachment.fileName)
      writer.json.endObject()
    case .attachment(let attachment):
      writer.json.key("fileData")
      writer.json.beginObject()
      writer.member("fileUri", attachment.reference)
      writer.member("mimeType", attachment.mediaType?.description)
      writer.json.endObject()
    case .raw, .rawAttachment: break
    }
    writer.members(others)
    writer.json.endObject()
  }
}
