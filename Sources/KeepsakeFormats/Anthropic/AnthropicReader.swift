import Keepsake

/// Reads Anthropic's messages in their order.
struct AnthropicReader: WireReader {
  static let format = AnthropicCodec.name
  static let listKey = AnthropicCodec.listKey

  /// The names of tools by the ids of their calls.
  private var tools: [String: String] = [:]
  private var messages = 0

  func instructions(_ request: JSON) -> Entry? {
    var segments: [Entry.Segment] = []
    if let system = request["system"] {
      if let text = system.stringValue, !text.isEmpty { segments = [.text(text)] }
      for block in system.arrayValue ?? [] {
        if let text = block["text"]?.stringValue { segments.append(.text(text)) }
      }
    }
    return .instructions(segments, tools: request["tools"])
  }

  mutating func message(
    _ message: JSONObject, at value: Range<Int>, in record: inout RecordReader
  ) -> [SourceEntry] {
    messages += 1
    guard let role = message.string("role"), let content = message["content"] else {
      record.remark("A message without a role or content is kept as it is.")
      let kept = record.opaque(value, type: "entry")
      return [record.finish(Entry(.unknown, segments: [.init(kept)], created: nil))]
    }
    var reader = AnthropicMessage(role: role, callPrefix: "call_\(messages)")
    reader.read(content, in: &record, &tools)
    return reader.entries
  }

  mutating func answer(
    _ answer: JSONObject, at value: Range<Int>, in record: inout RecordReader
  ) -> [SourceEntry]? {
    guard answer.string("type") == "message" else { return nil }
    var entries = message(answer, at: value, in: &record)
    entries.complete(model: answer.string("model"), usage: answer.json("usage"))
    if let id = answer.string("id"), !entries.isEmpty, !id.isEmpty { entries[0].entry.key = id }
    return entries
  }
}
