#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Writes one entry of an AnyLanguageModel transcript.
struct AnyLanguageModelEntryWriter {
  private let outgoing: OutgoingEntry
  private let details: ForeignDetails
  private var writer = RecordWriter()

  private var entry: Entry { outgoing.entry }

  init(_ outgoing: OutgoingEntry) {
    self.outgoing = outgoing
    details = ForeignDetails(of: outgoing.entry, format: AnyLanguageModelCodec.name)
  }

  mutating func record(_ losses: inout Losses) -> OutgoingRecord {
    writer.losses.add(.loose, outgoing.loose.count)
    writer.json.beginObject()
    switch entry.kind {
    case .instructions:
      begin("instructions")
      segments()
      writer.member(
        "toolDefinitions", entry.toolDefinitions.map(Self.definitions) ?? .array([]))
    case .prompt:
      begin("prompt")
      segments()
      writer.member("options", entry.options ?? .object([]))
      writer.member("responseFormat", entry.responseFormat)
    case .toolCalls:
      begin("toolCalls")
      calls()
    case .toolOutput:
      begin("toolOutput")
      writer.member("toolName", entry.tool ?? "")
      segments()
    case .response, .reasoning, .event, .unknown:
      begin("response")
      segments()
      if details["assetIDs"] == nil { writer.member("assetIDs", .array([])) }
    }
    writer.members(details.members.filter { !["segments", "calls", "id"].contains($0.key) })
    writer.json.endObject()
    writer.json.endObject()
    writer.json.endObject()
    losses.add(writer.losses)
    return writer.finish()
  }

  private mutating func begin(_ kind: StaticString) {
    writer.json.key(kind)
    writer.json.beginObject()
    writer.json.key("_0")
    writer.json.beginObject()
    let call = entry.kind == .toolOutput ? entry.callID : nil
    writer.member(
      "id", details["id"] ?? .string(call ?? entry.key ?? entry.id.uuidString))
  }

  private mutating func calls() {
    writer.json.key("calls")
    writer.json.beginArray()
    let details = details.elements("calls")
    for (index, call) in entry.toolCalls.enumerated() {
      let others = details[index] ?? []
      let raw = others.first { $0.key == "arguments" }?.value
      writer.json.beginObject()
      writer.member("id", call.id)
      writer.member("toolName", call.tool)
      if let raw, GeneratedContent.value(of: raw)?.text == call.arguments {
        writer.member("arguments", raw)
      } else {
        // Arguments that are no JSON, which a model may produce, become a string.
        let value = (try? JSON(validating: call.arguments)) ?? .string(call.arguments)
        writer.member("arguments", GeneratedContent.content(of: value))
      }
      writer.members(others.filter { $0.key != "arguments" })
      writer.json.endObject()
    }
    writer.json.endArray()
  }

  /// Removes the frame that Apple puts around the description of each tool.
  private static func definitions(_ tools: JSON) -> JSON {
    guard let elements = tools.arrayValue else { return tools }
    return .array(elements.map { $0["function"] ?? $0 })
  }
}

// MARK: - Content

extension AnyLanguageModelEntryWriter {
  private mutating func segments() {
    writer.json.key("segments")
    writer.json.beginArray()
    let details = details.elements("segments")
    for (index, segment) in entry.segments.enumerated() {
      self.segment(segment, index, details[index] ?? [])
    }
    writer.json.endArray()
  }

  private mutating func segment(
    _ segment: Entry.Segment, _ index: Int, _ others: [(key: String, value: JSON)]
  ) {
    let id = segment.id ?? "\(index)"
    switch segment.content {
    case .text(let text): self.text(text, id, others)
    case .structure(let json, let schema):
      let raw = others.first { $0.key == "content" }?.value
      begin("structure", id, others)
      if !others.contains(where: { $0.key == "source" }) {
        writer.member("source", schema ?? "")
      }
      if let raw, GeneratedContent.value(of: raw) == json {
        writer.member("content", raw)
      } else {
        writer.member("content", GeneratedContent.content(of: json))
      }
      end(others.filter { $0.key != "content" })
    case .attachment: attachment(outgoing.attachments[index], id, others)
    case .opaque(let json, let type):
      guard type.hasPrefix("\(AnyLanguageModelCodec.name).") else {
        return writer.losses.add(.foreign)
      }
      writer.json.raw(json)
    }
  }

  private mutating func text(
    _ text: String, _ id: String, _ others: [(key: String, value: JSON)] = []
  ) {
    begin("text", id, others)
    writer.member("content", text)
    end(others)
  }

  private mutating func attachment(
    _ attachment: OutgoingAttachment?, _ id: String, _ others: [(key: String, value: JSON)]
  ) {
    if let attachment, let type = OpaqueType.name(of: attachment.mediaType) {
      guard type.hasPrefix("\(AnyLanguageModelCodec.name)."), attachment.isPresent else {
        return writer.losses.add(.foreign)
      }
      return writer.raw(attachment)
    }
    let url = attachment.flatMap { $0.isPresent ? nil : $0.reference }
    guard let attachment, url != nil || attachment.isPresent && attachment.type.isImage else {
      writer.losses.add(.attachments)
      return text(attachment?.placeholder ?? "[attachment]", id)
    }
    begin("image", id, others)
    writer.json.key("source")
    writer.json.beginObject()
    if let url {
      writer.member("kind", "url")
      writer.member("url", url)
    } else {
      writer.member("kind", "data")
      writer.json.key("data")
      writer.string("", base64: attachment)
      writer.member("mimeType", attachment.type.description)
    }
    writer.members(others.first { $0.key == "source" }?.value.members ?? [])
    writer.json.endObject()
    end(others.filter { $0.key != "source" })
  }

  private mutating func begin(
    _ type: StaticString, _ id: String, _ others: [(key: String, value: JSON)]
  ) {
    writer.json.beginObject()
    writer.json.key(type)
    writer.json.beginObject()
    writer.json.key("_0")
    writer.json.beginObject()
    if !others.contains(where: { $0.key == "id" }) { writer.member("id", id) }
  }

  private mutating func end(_ others: [(key: String, value: JSON)]) {
    writer.members(others)
    writer.json.endObject()
    writer.json.endObject()
    writer.json.endObject()
  }
}
