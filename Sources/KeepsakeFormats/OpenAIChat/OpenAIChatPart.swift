import Keepsake

/// Writes one part of the content of a message of Chat Completions.
struct OpenAIChatPart {
  let part: WirePart
  /// The members that were read with the part and that Keepsake has no field for.
  private let others: [(key: String, value: JSON)]

  init(_ part: WirePart, _ others: [(key: String, value: JSON)]) {
    self.part = part
    self.others = others
  }

  init(_ attachment: OutgoingAttachment) { self.init(.attachment(attachment), []) }

  /// The text of a part without other members, so that a plain string can be written as the content.
  var plainText: String? {
    if case .text(let text) = part, others.isEmpty { return text }
    return isLost ? placeholder : nil
  }

  /// Whether a placeholder is written because neither the attachment's bytes nor an open URL are known.
  var isLost: Bool {
    guard case .attachment(let attachment) = part else { return false }
    return !attachment.isPresent && attachment.openURL == nil
  }

  private var placeholder: String? {
    if case .attachment(let attachment) = part { attachment.placeholder } else { nil }
  }

  func write(to writer: inout RecordWriter) {
    part.write(
      to: &writer, isLost: isLost, text: { write($0, to: &$1) },
      attachment: { write($0, to: &$1) })
  }

  private func write(_ text: String, to writer: inout RecordWriter) {
    let isRefusal = others.contains { $0.key == "type" && $0.value.stringValue == "refusal" }
    writer.json.beginObject()
    if isRefusal {
      writer.member("refusal", text)
    } else {
      writer.member("type", "text")
      writer.member("text", text)
    }
    writer.members(others)
    writer.json.endObject()
  }

  private func write(_ attachment: OutgoingAttachment, to writer: inout RecordWriter) {
    let inner = others.first { $0.key == "image_url" }?.value.members ?? []
    let type = attachment.type
    writer.json.beginObject()
    switch (attachment.openURL, Self.soundFormat(type)) {
    case (let url?, _):
      writer.member("type", "image_url")
      writer.json.key("image_url")
      writer.json.beginObject()
      writer.member("url", url)
    case (nil, let format?):
      writer.member("type", "input_audio")
      writer.json.key("input_audio")
      writer.json.beginObject()
      writer.json.key("data")
      writer.string("", base64: attachment)
      writer.member("format", format)
    case (nil, nil) where type.isImage:
      writer.member("type", "image_url")
      writer.json.key("image_url")
      writer.json.beginObject()
      writer.json.key("url")
      writer.string("data:\(type.description);base64,", base64: attachment)
    default:
      writer.member("type", "file")
      writer.json.key("file")
      writer.json.beginObject()
      writer.member("filename", attachment.fileName ?? attachment.label ?? "file")
      writer.json.key("file_data")
      writer.string("data:\(type.description);base64,", base64: attachment)
    }
    writer.members(inner)
    writer.json.endObject()
    writer.members(others.filter { $0.key != "image_url" })
    writer.json.endObject()
  }

  /// The service's name for a format of sound; nil where the service does not take it.
  private static func soundFormat(_ type: MediaType) -> String? {
    switch type.essence {
    case "audio/wav", "audio/x-wav", "audio/wave": "wav"
    case "audio/mpeg", "audio/mp3": "mp3"
    default: nil
    }
  }
}
