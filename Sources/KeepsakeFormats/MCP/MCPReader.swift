import Keepsake

/// Reads messages of calls of tools, and of their results.
struct MCPReader: WireReader {
  static let format = MCPCodec.name
  static let listKey = MCPCodec.listKey

  static let joinsElements = true

  /// Returns whether two messages are calls. Calls that a model makes together come as a message each, and become one entry.
  static func joins(_ element: JSONObject, to last: JSONObject) -> Bool {
    [element, last].allSatisfy { $0.string("method") == "tools/call" }
  }

  static func joined(_ entries: [SourceEntry]) -> [SourceEntry] { entries.withJoinedCalls() }

  private var calls = KnownCalls()

  func instructions(_ request: JSON) -> Entry? { nil }

  mutating func message(
    _ message: JSONObject, at value: Range<Int>, in record: inout RecordReader
  ) -> [SourceEntry] {
    if message.string("method") == "tools/call", let asked = message.object("params"),
      let tool = asked.string("name")
    {
      let call = calls.call(
        id(of: message), tool: tool, arguments: asked.json("arguments")?.text ?? "{}")
      return [record.finish(Entry(.toolCalls, toolCalls: [call], created: nil))]
    }
    if let error = message.json("error") {
      var entry = output(of: message)
      entry.segments = [.init(.structure(error, schema: nil))]
      entry.metadata = .object([(Self.format, .object([("error", true)]))])
      return [record.finish(entry)]
    }
    // Client and server also exchange messages that belong to no conversation, such as lists of tools.
    return []
  }

  mutating func answer(
    _ answer: JSONObject, at value: Range<Int>, in record: inout RecordReader
  ) -> [SourceEntry]? {
    let result = answer.object("result") ?? answer
    guard result.kind("content") == .array else { return nil }
    var entry = output(of: answer)
    let maker: Entry.MadeBy =
      entry.callID.map { .toolCall(.init(id: $0, tool: entry.tool ?? "")) } ?? .source
    var others: [Int: [(String, JSON)]] = [:]
    for (index, block) in (result.elements("content") ?? []).enumerated() {
      var rest: [(String, JSON)] = []
      entry.segments.append(MCPBlock.segment(block, madeBy: maker, rest: &rest, in: &record))
      if !rest.isEmpty { others[index] = rest }
    }
    var details = ForeignDetails()
    details.add("content", others)
    if let structured = result.json("structuredContent"), !structured.isNull {
      if Self.repeats(structured, in: entry) {
        details.add("structuredContent", structured)
      } else {
        entry.segments.append(.init(.structure(structured, schema: nil)))
      }
    }
    for (key, value) in result.others(than: Self.known) where !value.isDefault {
      if key != "isError" || value.boolValue == true { details.add(key, value) }
    }
    entry.metadata = details.metadata(format: Self.format)
    return [record.finish(entry)]
  }

  private static let known = ["content", "structuredContent", "jsonrpc", "id", "result"]

  private func output(of message: JSONObject) -> Entry {
    let id = message["jsonrpc"] == nil ? nil : id(of: message)
    var entry = Entry.toolOutput(callID: id, tool: id.flatMap { calls.tool(of: $0) }, segments: [])
    entry.created = nil
    return entry
  }

  /// The id of a message, which is a string or a number.
  private func id(of message: JSONObject) -> String? {
    message.string("id") ?? message.json("id").flatMap { $0.isNull ? nil : $0.text }
  }

  /// Returns whether a text repeats the structured content, which servers do for clients that understand only text.
  private static func repeats(_ structured: JSON, in entry: Entry) -> Bool {
    entry.segments.contains { segment in
      segment.text.flatMap { try? JSON(validating: $0) } == structured
    }
  }
}
