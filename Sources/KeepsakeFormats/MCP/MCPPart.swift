import Keepsake

/// Writes one block of the content of a tool's result.
struct MCPPart {
  private let part: WirePart
  /// The members that were read with the block and that Keepsake has no field for.
  private let others: [(key: String, value: JSON)]

  init(_ part: WirePart, _ others: [(key: String, value: JSON)]) {
    self.part = part
    self.others = others
  }

  func write(to writer: inout RecordWriter, _ losses: inout Losses) {
    switch part {
    case .raw(let json): writer.json.raw(json)
    case .rawAttachment(let attachment): writer.raw(attachment)
    case .text(let text): write(text, to: &writer)
    case .attachment(let attachment) where attachment.isPresent: write(attachment, to: &writer)
    case .attachment(let attachment):
      guard let reference = attachment.reference else {
        losses.add(.attachments)
        return write(attachment.placeholder, to: &writer)
      }
      link(reference, attachment, to: &writer)
    }
  }

  private var resource: [(key: String, value: JSON)]? {
    others.first { $0.key == "resource" }?.value.members
  }

  private func write(_ text: String, to writer: inout RecordWriter) {
    writer.json.beginObject()
    if let resource {
      embed(resource, in: &writer) { $0.member("text", text) }
    } else {
      writer.member("type", "text")
      writer.member("text", text)
    }
    writer.members(others.filter { $0.key != "resource" })
    writer.json.endObject()
  }

  private func write(_ attachment: OutgoingAttachment, to writer: inout RecordWriter) {
    let type = attachment.type
    let isSound = type.essence.hasPrefix("audio/")
    writer.json.beginObject()
    if resource != nil || !(type.isImage || isSound) {
      let name = attachment.fileName ?? attachment.label ?? "file"
      let usual: [(key: String, value: JSON)] = [
        ("uri", .string("attachment:///\(URLPath.encoded(name))")),
        ("mimeType", .string(type.description)),
      ]
      embed(resource ?? usual, in: &writer) { writer in
        writer.json.key("blob")
        writer.string("", base64: attachment)
      }
    } else {
      writer.member("type", isSound ? "audio" : "image")
      writer.json.key("data")
      writer.string("", base64: attachment)
      writer.member("mimeType", type.description)
    }
    writer.members(others.filter { $0.key != "resource" })
    writer.json.endObject()
  }

  /// Writes content in an embedded resource.
  private func embed(
    _ members: [(key: String, value: JSON)], in writer: inout RecordWriter,
    _ content: (inout RecordWriter) -> Void
  ) {
    writer.member("type", "resource")
    writer.json.key("resource")
    writer.json.beginObject()
    writer.members(members)
    content(&writer)
    writer.json.endObject()
  }

  private func link(
    _ reference: String, _ attachment: OutgoingAttachment, to writer: inout RecordWriter
  ) {
    writer.json.beginObject()
    writer.member("type", "resource_link")
    writer.member("uri", reference)
    if !others.contains(where: { $0.key == "name" }) {
      writer.member("name", attachment.fileName ?? attachment.label ?? reference)
    }
    writer.members(others)
    writer.json.endObject()
  }
}
