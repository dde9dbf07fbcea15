import Keepsake

/// Writes one part of an item's content.
struct ResponsesPart {
  let part: WirePart
  /// What stood beside it when it was read.
  private let others: [(key: String, value: JSON)]

  init(_ part: WirePart, _ others: [(key: String, value: JSON)]) {
    self.part = part
    self.others = others
  }

  /// The text of a part that says nothing else, so that it can stand as the content itself.
  var plainText: String? {
    switch part {
    case .text(let text) where others.isEmpty: text
    case .attachment(let attachment) where isLost: attachment.placeholder
    default: nil
    }
  }

  /// Whether words stand for bytes that are not here.
  var isLost: Bool {
    guard case .attachment(let attachment) = part else { return false }
    return !attachment.isPresent && attachment.openURL == nil && fileID == nil
  }

  /// The id by which the service knows a file; nil for anything else.
  private var fileID: String? {
    guard case .attachment(let attachment) = part, let reference = attachment.reference,
      !attachment.isPresent, reference.hasPrefix("file-") || reference.hasPrefix("file_")
    else { return nil }
    return reference
  }

  /// - Parameter isOutput: Whether it stands in what a model said.
  func write(to writer: inout RecordWriter, asOutput isOutput: Bool) {
    switch part {
    case .raw(let json): writer.json.raw(json)
    case .rawAttachment(let attachment): writer.raw(attachment)
    case .text(let text): write(text, to: &writer, asOutput: isOutput)
    case .attachment(let attachment):
      if isLost { return write(attachment.placeholder, to: &writer, asOutput: isOutput) }
      write(attachment, to: &writer)
    }
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
