#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads the items of OpenAI's Responses API as entries. Each item is one; a generated image is the call that made it, and
/// its output.
struct ResponsesItems {
  /// The names of tools by the ids of their calls.
  private var tools: [String: String] = [:]
  /// Ids that came already: an item that comes again is kept without its id.
  private var known: Set<String> = []

  /// The entries of an item.
  /// - Parameters:
  ///   - item: The item.
  ///   - value: Where it stands in the record.
  ///   - record: Gathers what is attached.
  mutating func entries(
    _ item: JSONObject, at value: Range<Int>, in record: inout RecordReader
  ) -> [SourceEntry] {
    let type = item.string("type") ?? (item["role"] == nil ? "" : "message")
    var entries: [SourceEntry]
    switch type {
    case "message": entries = message(item, in: &record)
    case "reasoning": entries = [reasoning(item, in: &record)]
    case "image_generation_call": entries = generation(item, in: &record)
    case _ where type.hasSuffix("_call_output"), "program_output", "tool_search_output":
      entries = [output(item, value, type, in: &record)]
    case _ where type.hasSuffix("_call"), "program":
      entries = [call(item, value, type, in: &record)]
    default: entries = [whole(value, type, in: &record)]
    }
    identify(&entries, item)
    return entries
  }

  /// An item that nobody here understands.
  private func whole(_ value: Range<Int>, _ type: String, in record: inout RecordReader)
    -> SourceEntry
  {
    record.remark("Items of the type '\(type)' are not known here; this one is kept as it is.")
    EmbeddedBase64.cut(value, from: &record)
    return record.finish(
      Entry(
        .unknown, segments: [.init(record.opaque(value, type: type.isEmpty ? "item" : type))],
        created: nil))
  }

  private mutating func identify(_ entries: inout [SourceEntry], _ item: JSONObject) {
    guard let id = item.string("id"), known.insert(id).inserted else { return }
    for index in entries.indices {
      entries[index].entry.key = index == 0 ? id : "\(id)#\(index + 1)"
    }
  }
}

// MARK: - Messages

extension ResponsesItems {
  private func message(_ item: JSONObject, in record: inout RecordReader) -> [SourceEntry] {
    let kind: Entry.Kind =
      switch item.string("role") {
      case "assistant": .response
      case "system", "developer": .instructions
      default: .prompt
      }
    var entry = Entry(kind, created: nil)
    if kind == .instructions { entry.visibility = .model }
    entry.segments = contents(
      item["content"], madeBy: kind == .response ? .response : .user, in: &record)
    let isScaffolding = entry.segments.allSatisfy { Self.isScaffolding($0.text ?? "") }
    if kind == .prompt, isScaffolding, !entry.segments.isEmpty { entry.visibility = .model }
    if let phase = item.string("phase") {
      entry.metadata = .object([(record.format, .object([("phase", .string(phase))]))])
    }
    return [record.finish(entry)]
  }

  /// What programs put into a person's messages.
  private static func isScaffolding(_ text: String) -> Bool {
    let beginning = text.drop { $0.isWhitespace }
    return scaffolding.contains { beginning.hasPrefix($0) }
  }

  private static let scaffolding = [
    "<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<turn_aborted>",
    "<permissions", "<skills", "<user_action>", "<collaboration_mode>", "<INSTRUCTIONS>",
    "<subagent_notification>",
  ]

  private mutating func reasoning(_ item: JSONObject, in record: inout RecordReader) -> SourceEntry
  {
    var entry = Entry(.reasoning, created: nil)
    for member in ["content", "summary"] where entry.segments.isEmpty {
      entry.segments = contents(item[member], madeBy: .response, in: &record)
    }
    if let sealed = item["encrypted_content"], item.kind("encrypted_content") == .string {
      entry.segments.append(.init(record.opaque(sealed, type: "encrypted_content")))
    }
    return record.finish(entry)
  }

  /// What a message, a thought or an output holds: a text, or parts.
  private func contents(
    _ range: Range<Int>?, madeBy maker: Entry.MadeBy, in record: inout RecordReader
  ) -> [Entry.Segment] {
    guard let range else { return [] }
    if let text = record.text(range) { return text.isEmpty ? [] : [.text(text)] }
    guard let parts = JSONText.elements(range, in: record.bytes) else {
      if JSONText.kind(range, in: record.bytes) == .null { return [] }
      EmbeddedBase64.cut(range, from: &record)
      return [.init(record.opaque(range, type: "content"))]
    }
    return parts.map { part in
      guard let object = JSONObject(part, in: record.bytes) else {
        return .init(record.opaque(part, type: "content"))
      }
      return .init(content(object, part, madeBy: maker, in: &record))
    }
  }

  private func content(
    _ part: JSONObject, _ range: Range<Int>, madeBy maker: Entry.MadeBy,
    in record: inout RecordReader
  ) -> Entry.Segment.Content {
    let type = part.string("type") ?? ""
    if let text = (part["text"] ?? part["refusal"]).flatMap({ record.text($0) }),
      type != "input_file"
    {
      return .text(text)
    }
    let source = part["image_url"] ?? part["file_url"] ?? part["file_data"]
    if let source, JSONText.kind(source, in: record.bytes) == .string {
      if let url = DataURL(source, in: record.bytes) {
        if let content = record.attach(
          base64: url.payload, mediaType: url.mediaType, label: nil,
          fileName: part.string("filename"), madeBy: maker)
        {
          return content
        }
        record.remark("The base64 of an image is damaged; it is kept as it is.")
      } else if let url = JSONText.string(source, in: record.bytes), url.contains("://") {
        return record.attach(remote: url, madeBy: maker)
      }
    } else if let id = part.string("file_id") {
      return record.attach(remote: id, madeBy: maker)
    }
    EmbeddedBase64.cut(range, from: &record)
    return record.opaque(range, type: type.isEmpty ? "content" : type)
  }
}

// MARK: - Calls

extension ResponsesItems {
  private mutating func call(
    _ item: JSONObject, _ value: Range<Int>, _ type: String, in record: inout RecordReader
  ) -> SourceEntry {
    let tool = item.string("name") ?? String(type.dropLast(type.hasSuffix("_call") ? 5 : 0))
    let arguments =
      item.string("arguments") ?? item.string("input") ?? item.string("code")
      ?? (item.json("arguments") ?? item.json("action") ?? item.json("operation"))?.text
    let id = item.string("call_id") ?? item.string("id") ?? "call_\(tools.count + 1)"
    tools[id] = tool
    var entry = Entry(.toolCalls, created: nil)
    entry.toolCalls = [.init(id: id, tool: tool, arguments: arguments ?? "{}")]
    EmbeddedBase64.cut(value, from: &record)
    return record.finish(entry)
  }

  private mutating func output(
    _ item: JSONObject, _ value: Range<Int>, _ type: String, in record: inout RecordReader
  ) -> SourceEntry {
    // Of some the id is the call's.
    let id = item.string("call_id") ?? item.string("id")
    let tool = id.flatMap { tools[$0] } ?? item.string("name")
    let maker: Entry.MadeBy = id.map { .toolCall(.init(id: $0, tool: tool ?? "")) } ?? .source
    var entry = Entry.toolOutput(callID: id, tool: tool, segments: [])
    entry.created = nil
    let content = item["output"] ?? item["result"] ?? item["tools"]
    if let content, JSONText.kind(content, in: record.bytes) == .object,
      let part = JSONObject(content, in: record.bytes)
    {
      entry.segments = [.init(self.content(part, content, madeBy: maker, in: &record))]
    } else {
      entry.segments = contents(content, madeBy: maker, in: &record)
    }
    return record.finish(entry)
  }

  /// An image that the model had made by itself.
  private mutating func generation(_ item: JSONObject, in record: inout RecordReader)
    -> [SourceEntry]
  {
    let tool = "image_generation"
    let id = item.string("id") ?? "call_\(tools.count + 1)"
    let isFirst = tools[id] == nil
    tools[id] = tool
    let call = Entry.ToolCall(
      id: id, tool: tool,
      arguments: item.json("revised_prompt").map { JSON.object([("prompt", $0)]).text } ?? "{}")
    var entries: [SourceEntry] = []
    // A later turn may only name an image that was made before.
    if isFirst {
      entries.append(record.finish(Entry(.toolCalls, toolCalls: [call], created: nil)))
    }
    guard let result = item["result"], item.kind("result") == .string, result.count > 2 else {
      return entries
    }
    var output = Entry.toolOutput(callID: id, tool: tool, segments: [])
    output.created = nil
    let format = item.string("output_format")
    if let image = record.attach(
      base64: (result.lowerBound + 1)..<(result.upperBound - 1),
      mediaType: format.map { MediaType("image/\($0 == "jpg" ? "jpeg" : $0)") }, label: nil,
      madeBy: .toolCall(call))
    {
      output.segments = [.init(image)]
    } else {
      record.remark("The base64 of an image is damaged; it is kept as it is.")
      output.segments = [.init(record.opaque(result, type: "result"))]
    }
    return entries + [record.finish(output)]
  }
}
