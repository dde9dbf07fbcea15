import Keepsake

/// Reads Gemini's contents in their order.
struct GeminiReader: WireReader {
  static let format = GeminiCodec.name
  static let listKey = GeminiCodec.listKey
  static let joinsElements = true

  private var calls = GeminiCalls()

  /// Returns whether an element is a further chunk of the streamed answer whose last chunk was `last`.
  static func joins(_ element: JSONObject, to last: JSONObject) -> Bool {
    guard element["candidates"] != nil, last["candidates"] != nil else { return false }
    let ids = [last, element].map { GeminiParts.string($0, "responseId") }
    if ids[0] != nil || ids[1] != nil { return ids[0] == ids[1] }
    return !hasEnded(last)
  }

  private static func hasEnded(_ answer: JSONObject) -> Bool {
    (answer.elements("candidates") ?? []).contains { candidate in
      JSONObject(candidate, in: answer.bytes).map {
        GeminiParts.member($0, "finishReason") != nil
      } ?? false
    }
  }

  static func joined(_ entries: [SourceEntry]) -> [SourceEntry] { entries.withJoinedTexts() }

  func instructions(_ request: JSON) -> Entry? {
    let system = request["systemInstruction"] ?? request["system_instruction"]
    let parts = system?["parts"]?.arrayValue ?? system.map { [$0] } ?? []
    let texts = parts.compactMap { $0.stringValue ?? $0["text"]?.stringValue }
    return .instructions(texts.map { .text($0) }, tools: request["tools"])
  }

  mutating func message(
    _ message: JSONObject, at value: Range<Int>, in record: inout RecordReader
  ) -> [SourceEntry] {
    guard let parts = message["parts"] else {
      // A request may give a single part in place of a message.
      return contents([value], role: "user", in: &record)
    }
    let role = message.string("role") ?? "user"
    return contents(
      JSONText.elements(parts, in: record.bytes) ?? [parts], role: role, in: &record)
  }

  private mutating func contents(
    _ parts: [Range<Int>], role: String, in record: inout RecordReader
  ) -> [SourceEntry] {
    var reader = GeminiContent(role: role, calls)
    for part in parts { reader.read(part, in: &record) }
    reader.end(in: &record)
    calls = reader.calls
    return reader.entries
  }

  mutating func answer(
    _ answer: JSONObject, at value: Range<Int>, in record: inout RecordReader
  ) -> [SourceEntry]? {
    guard let candidates = answer.elements("candidates") else { return nil }
    var entries: [SourceEntry] = []
    for candidate in candidates {
      guard let candidate = JSONObject(candidate, in: record.bytes) else { continue }
      if let content = candidate.object("content"), let place = candidate["content"] {
        entries += message(content, at: place, in: &record)
      } else if let reason = GeminiParts.string(candidate, "finishReason") {
        var entry = Entry(.event, segments: [.text("The model gave nothing: \(reason)")])
        entry.visibility = .person
        entries.append(record.finish(entry))
      }
    }
    let usage = GeminiParts.member(answer, "usageMetadata").flatMap {
      JSONText.value($0, in: record.bytes)
    }
    entries.complete(model: GeminiParts.string(answer, "modelVersion"), usage: usage)
    return entries
  }
}
