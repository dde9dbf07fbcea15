#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Writes one entry of Apple's transcript, with all members that the framework's decoder requires.
struct AppleEntryWriter {
  private let outgoing: OutgoingEntry
  private let form: AppleCodec.Form
  private let details: ForeignDetails
  private var writer = RecordWriter()

  private var entry: Entry { outgoing.entry }

  init(_ outgoing: OutgoingEntry, _ form: AppleCodec.Form) {
    self.outgoing = outgoing
    self.form = form
    details = ForeignDetails(of: outgoing.entry, format: AppleCodec.name)
  }

  mutating func record(_ losses: inout Losses) -> OutgoingRecord {
    writer.json.beginObject()
    writer.member("id", details["id"] ?? .string(id))
    switch entry.kind {
    case .instructions:
      writer.member("role", "instructions")
      contents()
      if let tools = entry.toolDefinitions { writer.member("tools", AppleTools.json(tools)) }
    case .prompt:
      writer.member("role", "user")
      contents()
      writer.member("options", entry.options ?? .object([]))
      writer.member("responseFormat", entry.responseFormat)
    case .toolCalls:
      writer.member("role", "response")
      calls()
      writer.losses.add(.loose, outgoing.loose.count)
    case .toolOutput:
      writer.member("role", "tool")
      writer.member("toolCallID", entry.callID ?? id)
      writer.member("toolName", entry.tool ?? "")
      contents()
    case .reasoning:
      writer.member("role", "reasoning")
      reasoning()
    case .response, .event, .unknown:
      writer.member("role", "response")
      contents()
    }
    rest()
    writer.json.endObject()
    losses.add(writer.losses)
    return writer.finish()
  }

  /// The entry's id in the transcript. An output has the id of its call, as Apple writes it.
  private var id: String {
    if entry.kind == .toolOutput, let call = entry.callID { return call }
    return entry.key ?? entry.id.uuidString
  }

  /// Writes the members that the form requires, and those that were kept when the entry was read.
  private mutating func rest() {
    var members = details.members.filter { !Self.taken.contains($0.key) }
    if form == .os26 {
      let count = members.count
      members.removeAll { Self.newer.contains($0.key) }
      writer.losses.add(.details, count - members.count)
    }
    var missing: [(String, JSON)] = []
    if entry.kind == .response { missing.append(("assets", .array([]))) }
    if entry.kind == .prompt, form == .os27 { missing.append(("contextOptions", .object([]))) }
    if entry.kind == .reasoning { missing.append(("metadata", .object([]))) }
    for (key, value) in missing where details[key] == nil { members.append((key, value)) }
    writer.members(members)
  }

  /// Details that are written in another place of the record.
  private static let taken: Set<String> = ["id", "contents", "toolCalls", "reasoning"]
  /// Members that version 1 does not have.
  private static let newer: Set<String> = ["metadata", "contextOptions"]

  private mutating func calls() {
    writer.json.key("toolCalls")
    writer.json.beginArray()
    let details = details.elements("toolCalls")
    for (index, call) in entry.toolCalls.enumerated() {
      let others = details[index] ?? []
      writer.json.beginObject()
      writer.member("id", call.id)
      writer.member("name", call.tool)
      // Arguments that were no string are given back as they were, unless the call has other arguments now.
      if !others.contains(where: { $0.key == "arguments" && $0.value.text == call.arguments }) {
        writer.member("arguments", call.arguments)
        writer.members(others.filter { $0.key != "arguments" })
      } else {
        writer.members(others)
      }
      writer.json.endObject()
    }
    writer.json.endArray()
  }

  private mutating func reasoning() {
    writer.json.key("reasoning")
    writer.json.beginObject()
    contents()
    writer.member("signature", entry.signature)
    writer.members(details["reasoning"]?.members ?? [])
    writer.json.endObject()
  }
}

// MARK: - Contents

extension AppleEntryWriter {
  private mutating func contents() {
    writer.json.key("contents")
    writer.json.beginArray()
    let details = details.elements("contents")
    for (index, segment) in entry.segments.enumerated() {
      content(segment, index, details[index] ?? [])
    }
    var index = entry.segments.count
    for attachment in outgoing.loose {
      guard takesLoose(attachment) else {
        writer.losses.add(.loose)
        continue
      }
      writer.json.beginObject()
      writer.member("id", "\(index)")
      self.attachment(attachment, [])
      writer.json.endObject()
      index += 1
    }
    writer.json.endArray()
  }

  /// Returns whether an attachment without a segment may follow the contents.
  ///
  /// A person who gives an image with a prompt means it as part of the prompt. What a tool made is no part of its
  /// output.
  private func takesLoose(_ attachment: OutgoingAttachment) -> Bool {
    entry.kind == .prompt && form == .os27 && attachment.isPresent && attachment.type.isImage
  }

  private mutating func content(
    _ segment: Entry.Segment, _ index: Int, _ others: [(key: String, value: JSON)]
  ) {
    switch segment.content {
    case .opaque(let json, let type):
      guard type.hasPrefix("\(AppleCodec.name)."), form == .os27 else {
        return writer.losses.add(.foreign)
      }
      return writer.json.raw(json)
    case .attachment:
      let attachment = outgoing.attachments[index]
      if let attachment, let type = OpaqueType.name(of: attachment.mediaType) {
        guard type.hasPrefix("\(AppleCodec.name)."), form == .os27, attachment.isPresent else {
          return writer.losses.add(.foreign)
        }
        return writer.raw(attachment)
      }
    case .text, .structure: break
    }
    writer.json.beginObject()
    if !others.contains(where: { $0.key == "id" }) {
      writer.member("id", segment.id ?? "\(index)")
    }
    switch segment.content {
    case .text(let text): self.text(text)
    case .structure(let json, let schema):
      let inner = others.first { $0.key == "structure" }?.value.members ?? []
      writer.member("type", "structure")
      writer.json.key("structure")
      writer.json.beginObject()
      if !inner.contains(where: { $0.key == "source" }) {
        writer.member("source", schema ?? "")
      }
      writer.member("content", json)
      writer.members(inner)
      writer.json.endObject()
    case .attachment: attachment(outgoing.attachments[index], others)
    case .opaque: break
    }
    writer.members(others.filter { !["structure", "attachment"].contains($0.key) })
    writer.json.endObject()
  }

  private mutating func text(_ text: String) {
    writer.member("type", "text")
    writer.member("text", text)
  }

  private mutating func attachment(
    _ attachment: OutgoingAttachment?, _ others: [(key: String, value: JSON)]
  ) {
    let inner = others.first { $0.key == "attachment" }?.value.members ?? []
    // Only an attachment that came from Apple with another type than an image may be written with that type.
    let isOther = inner.contains { $0.key == "type" }
    guard let attachment, attachment.isPresent, form == .os27, attachment.type.isImage || isOther
    else {
      writer.losses.add(.attachments)
      return text(attachment?.placeholder ?? "[attachment]")
    }
    let url = "data:\(attachment.type.description);base64,"
    guard attachment.label != nil || !inner.isEmpty else {
      writer.member("type", "image")
      writer.json.key("image")
      return writer.string(url, base64: attachment)
    }
    writer.member("type", "attachment")
    writer.json.key("attachment")
    writer.json.beginObject()
    if !isOther { writer.member("type", "image") }
    if !inner.contains(where: { $0.key == "label" }) {
      writer.member("label", attachment.label)
    }
    writer.json.key("data")
    writer.string(url, base64: attachment)
    writer.members(inner)
    writer.json.endObject()
  }
}
