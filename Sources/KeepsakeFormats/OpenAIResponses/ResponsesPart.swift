import Keepsake

/// Writes one part of the content of an item of Responses.
struct ResponsesPart {
  let part: WirePart
  /// The members that were read with the part and that Keepsake has no field for.
  private let others: [(key: String, value: JSON)]

  init(_ part: WirePart, _ others: [(key: String, value: JSON)]) {
    self.part = part
    self.others = others
  }

  /// The text of a part without other members, so that a plain string can be written as the content.
  var plainText: String? {
    switch part {
    case .text(let text) where others.isEmpty: text
    case .attachment(let attachment) where isLost: attachment.placeholder
    default: nil
    }
  }

  /// Whether a placeholder is written because neither the attachment's bytes nor an address that the service opens
  /// are known.
  var isLost: Bool {
    guard case .attachment(let attachment) = part else { return false }
    return !attachment.isPresent && attachment.openURL == nil && fileID == nil
  }

  /// The id by which the service knows a file; nil for other attachments.
  private var fileID: String? {
    guard case .attachment(let attachment) = part, let reference = attachment.reference,
      !attachment.isPresent, reference.hasPrefix("file-") || reference.hasPrefix("file_")
    else { return nil }
    return reference
  }

  /// Writes the part.
  /// - Parameters:
  ///   - writer: The writer of the item.
  ///   - isOutput: Whether the part stands in a model's message.
  func write(to writer: inout RecordWriter, asOutput isOutput: Bool) {
    part.write(
      to: &writer, isLost: isLost, text: { write($0, to: &$1, asOutput: isOutput) },
      attachment: { write($0, to: &$1) })
  }

  private func write(_ text: String, to writer: inout RecordWriter, asOutput isOutput: Bool) {
    writer.json.beginObject()
    writer.member("type", isOutput ? "output_text" : "input_text")
    writer.member("text", text)
    if isOutput, !others.contains(where: { $0.key == "annotations" }) {
      writer.member("annotations", JSON.array([]))
    }
    writer.members(others)
    writer.json.endObject()
  }

  private func write(_ attachment: OutgoingAttachment, to writer: inout RecordWriter) {
    let isImage = attachment.type.isImage || !attachment.isPresent
    writer.json.beginObject()
    writer.member("type", isImage ? "input_image" : "input_file")
    if let fileID {
      writer.member("file_id", fileID)
    } else if let url = attachment.openURL {
      writer.member("image_url", url)
    } else {
      if !isImage { writer.member("filename", attachment.fileName ?? attachment.label ?? "file") }
      writer.json.key(isImage ? "image_url" : "file_data")
      writer.string("data:\(attachment.type.description);base64,", base64: attachment)
    }
    if isImage, !others.contains(where: { $0.key == "detail" }) { writer.member("detail", "auto") }
    writer.members(others.filter { $0.key != "filename" })
    writer.json.endObject()
  }
}
