import Keepsake

/// Reads the content of one of Anthropic's messages, whose blocks of text, thoughts, calls and results become an
/// entry each.
struct AnthropicMessage {
  private(set) var entries: [SourceEntry] = []
  private let role: String
  /// Says whether the program inserted a text that no person typed.
  private let isScaffolding: (String) -> Bool
  private var open: Entry?
  /// The prefix of the ids that are given to calls without an id.
  private let callPrefix: String
  private var calls = 0
  /// The ids of calls that no result has answered yet, with their tools.
  private var unanswered: [(id: String, tool: String)] = []
  /// Members of the open entry's calls that Keepsake has no field for, by the call's index.
  private var details: [String: JSON] = [:]

  init(
    role: String, callPrefix: String,
    isScaffolding: @escaping (String) -> Bool = { _ in false }
  ) {
    self.role = role
    self.callPrefix = callPrefix
    self.isScaffolding = isScaffolding
  }

  /// Reads a message's `content`: a string, or a list of blocks.
  /// - Parameters:
  ///   - content: The range of the content in the record.
  ///   - record: Gathers the attachments.
  ///   - tools: The names of the tools by the ids of their calls, of this message and of earlier ones.
  mutating func read(
    _ content: Range<Int>, in record: inout RecordReader, _ tools: inout [String: String]
  ) {
    if let blocks = JSONText.elements(content, in: record.bytes) {
      for block in blocks { self.block(block, in: &record, &tools) }
    } else if let text = record.text(content) {
      say(text, in: &record)
    } else if JSONText.kind(content, in: record.bytes) != .null {
      keep(content, type: "content", in: &record)
    }
    end(in: &record)
  }

  // MARK: Blocks

  private mutating func block(
    _ range: Range<Int>, in record: inout RecordReader, _ tools: inout [String: String]
  ) {
    guard let block = JSONObject(range, in: record.bytes) else {
      if let text = record.text(range) { return say(text, in: &record) }
      return keep(range, type: "block", in: &record)
    }
    let type = block.string("type") ?? ""
    switch type {
    case "text":
      guard let text = block["text"].flatMap({ record.text($0) }) else { fallthrough }
      say(text, in: &record)
    case "thinking", "redacted_thinking": think(block, range, type, in: &record)
    case "tool_use", "server_tool_use", "mcp_tool_use": call(block, type, in: &record, &tools)
    case _ where type.hasSuffix("tool_result"): answer(block, range, in: &record, tools)
    default:
      begin(said, in: &record)
      let content = Self.content(block, range, type, madeBy: maker, in: &record)
      open?.segments.append(.init(content))
    }
  }

  /// The kind of the entries that hold the message's text.
  private var said: Entry.Kind {
    switch role {
    case "assistant": .response
    case "system": .instructions
    default: .prompt
    }
  }

  private var maker: Entry.MadeBy { role == "assistant" ? .response : .user }

  private mutating func say(_ text: String, in record: inout RecordReader) {
    // The API refuses an empty text, and it says nothing.
    if text.isEmpty { return }
    let visibility: Entry.Visibility =
      said == .prompt && isScaffolding(text) ? .model : .everyone
    begin(said, visibility, in: &record)
    open?.segments.append(.text(text))
  }

  private mutating func think(
    _ block: JSONObject, _ range: Range<Int>, _ type: String, in record: inout RecordReader
  ) {
    end(in: &record)
    var entry = Entry(.reasoning, created: nil)
    if let text = block["thinking"].flatMap({ record.text($0) }) {
      entry.segments = [.text(text)]
      entry.signature = block.string("signature")
    } else {
      entry.segments = [.init(record.opaque(range, type: type))]
    }
    open = entry
    end(in: &record)
  }

  private mutating func call(
    _ block: JSONObject, _ type: String, in record: inout RecordReader,
    _ tools: inout [String: String]
  ) {
    begin(.toolCalls, in: &record)
    calls += 1
    // A call that the service itself answers has more members, and is written into another message on export.
    if type != "tool_use" {
      let others = block.others(than: ["id", "name", "input"])
      details["\(open?.toolCalls.count ?? 0)"] = .object(others)
    }
    let tool = block.string("name") ?? ""
    let call = Entry.ToolCall(
      id: block.string("id") ?? "\(callPrefix)/\(calls)", tool: tool,
      arguments: block.json("input")?.text ?? "{}")
    tools[call.id] = tool
    unanswered.append((call.id, tool))
    open?.toolCalls.append(call)
  }

  /// Adds the result of a call.
  ///
  /// A result of Anthropic's own tools is a block of the model's message, and its content has shapes of its own.
  private mutating func answer(
    _ block: JSONObject, _ range: Range<Int>, in record: inout RecordReader,
    _ tools: [String: String]
  ) {
    end(in: &record)
    let (id, basis) = answered(block)
    let tool = id.flatMap { tools[$0] }
    let maker: Entry.MadeBy = id.map { .toolCall(.init(id: $0, tool: tool ?? "")) } ?? .source
    var entry = Entry.toolOutput(callID: id, tool: tool, segments: [])
    entry.created = nil
    record.basis = basis
    defer { record.basis = .recorded }
    if let content = block["content"] {
      if let text = record.text(content) {
        entry.segments = [.text(text)]
      } else if let parts = JSONText.elements(content, in: record.bytes) {
        entry.segments = parts.map { part in
          guard let object = JSONObject(part, in: record.bytes) else {
            return .init(record.opaque(part, type: "content"))
          }
          let type = object.string("type") ?? ""
          return .init(Self.content(object, part, type, madeBy: maker, in: &record))
        }
      } else {
        EmbeddedBase64.cut(content, from: &record)
        entry.segments = [.init(record.opaque(content, type: "result"))]
      }
    }
    var kept = ForeignDetails()
    if let type = block.string("type"), type != "tool_result" { kept.add("type", .string(type)) }
    if block.json("is_error")?.boolValue == true { kept.add("is_error", true) }
    entry.metadata = kept.metadata(format: record.format)
    open = entry
    end(in: &record)
  }

  /// Returns the id of the call that a result answers.
  ///
  /// A result without an id answers the oldest unanswered call of the tool that it names, or of any tool where it
  /// names none.
  private mutating func answered(_ block: JSONObject) -> (String?, Entry.Attachment.Basis) {
    if let id = block.string("tool_use_id") {
      unanswered.removeAll { $0.id == id }
      return (id, .recorded)
    }
    let name = block.string("name")
    guard let place = unanswered.firstIndex(where: { name == nil || $0.tool == name }) else {
      return (nil, .recorded)
    }
    return (unanswered.remove(at: place).id, .position)
  }

  // MARK: Entries

  /// Opens an entry unless one of this kind is open. The one before it ends first, so that attachments go to the
  /// right entry.
  private mutating func begin(
    _ kind: Entry.Kind, _ visibility: Entry.Visibility = .everyone, in record: inout RecordReader
  ) {
    if open?.kind == kind, open?.visibility == visibility { return }
    end(in: &record)
    var entry = Entry(kind, created: nil)
    entry.visibility = visibility
    open = entry
  }

  private mutating func end(in record: inout RecordReader) {
    guard var entry = open else { return }
    if !details.isEmpty {
      let calls = JSON.object(details.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
      entry.metadata = .object([(record.format, .object([("calls", calls)]))])
      details = [:]
    }
    entries.append(record.finish(entry))
    open = nil
  }

  private mutating func keep(_ range: Range<Int>, type: String, in record: inout RecordReader) {
    begin(said, in: &record)
    open?.segments.append(.init(record.opaque(range, type: type)))
  }
}

// MARK: - Content

extension AnthropicMessage {
  /// Returns a text, an image or a document; any other block is kept as opaque content.
  private static func content(
    _ block: JSONObject, _ range: Range<Int>, _ type: String, madeBy maker: Entry.MadeBy,
    in record: inout RecordReader
  ) -> Entry.Segment.Content {
    let source = block.object("source")
    switch (type, source?.string("type")) {
    case ("text", _):
      if let text = block["text"].flatMap({ record.text($0) }) { return .text(text) }
    case ("image", "base64"?), ("document", "base64"?):
      if let source, let data = source["data"], source.kind("data") == .string,
        let content = record.attach(
          base64: (data.lowerBound + 1)..<(data.upperBound - 1),
          mediaType: source.string("media_type").map { MediaType($0) },
          label: nil, fileName: block.string("title"), madeBy: maker)
      {
        return content
      }
      record.remark("The base64 of an \(type) is damaged; it is kept as it is.")
    case ("image", "url"?), ("document", "url"?):
      if let url = source?.string("url") { return record.attach(remote: url, madeBy: maker) }
    case ("image", "file"?), ("document", "file"?):
      if let id = source?.string("file_id") { return record.attach(remote: id, madeBy: maker) }
    case ("document", "text"?):
      if let text = source?["data"].flatMap({ record.text($0) }) { return .text(text) }
    default: break
    }
    EmbeddedBase64.cut(range, from: &record)
    return record.opaque(range, type: type.isEmpty ? "block" : type)
  }
}
