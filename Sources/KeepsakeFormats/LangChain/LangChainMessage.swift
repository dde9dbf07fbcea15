#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads one message: what the model thought, said and called stands in one there, and in an entry each here.
struct LangChainMessage {
  /// Who speaks in a message.
  enum Role {
    case human, ai, system, tool

    /// - Parameter type: What a message calls itself: `human`, or its class, `HumanMessageChunk`.
    init?(_ type: String) {
      switch type {
      case "human", "HumanMessage", "HumanMessageChunk", "user": self = .human
      case "ai", "AIMessage", "AIMessageChunk", "assistant": self = .ai
      case "system", "SystemMessage", "SystemMessageChunk", "developer": self = .system
      case "tool", "ToolMessage", "ToolMessageChunk", "function", "FunctionMessage",
        "FunctionMessageChunk":
        self = .tool
      default: return nil
      }
    }
  }

  private(set) var said = RecordEntries()
  private(set) var calls: KnownCalls
  private let message: JSONObject
  private let role: Role
  /// What Keepsake has no field for; the message's first entry keeps it.
  private var details = ForeignDetails()
  /// The calls that the message lists. What the service said of them stands in the content once more.
  private var listed: Set<String> = []

  /// nil where nobody known speaks.
  init?(_ object: JSONObject, in bytes: [UInt8], _ calls: KnownCalls) {
    var type = object.string("type")
    if type == "constructor" {
      type = object.elements("id")?.last.flatMap { JSONText.string($0, in: bytes) }
    }
    guard let message = object.object("data") ?? object.object("kwargs") else { return nil }
    // A message of a role that the app names says the role itself.
    if type == "chat" || type == "ChatMessage" { type = message.string("role") }
    guard let role = type.flatMap(Role.init) else { return nil }
    self.message = message
    self.role = role
    self.calls = calls
  }

  mutating func read(in record: inout RecordReader) {
    switch role {
    case .human: said(by: .user, in: &record)
    case .system: said(by: .source, in: &record)
    case .ai: answer(in: &record)
    case .tool: output(in: &record)
    }
    said.close(in: &record)
    for (key, value) in message.others(than: Self.known) where !value.isDefault {
      details.add(key, value)
    }
    said.keep(details, format: record.format)
    let about = message.json("response_metadata")
    let model = about?["model_name"]?.stringValue ?? about?["model"]?.stringValue
    let usage = message.json("usage_metadata").flatMap { $0.isDefault ? nil : $0 }
    said.stamp(about?["created_at"].flatMap(ForeignTime.date), key: message.name("id"))
    said.complete(model: model, usage: usage.map { Usage(reported: $0) })
  }

  private static let known = [
    "content", "type", "id", "tool_calls", "invalid_tool_calls", "usage_metadata", "tool_call_id",
    "artifact", "role",
  ]

  private var kind: Entry.Kind {
    switch role {
    case .human: .prompt
    case .ai: .response
    case .system: .instructions
    case .tool: .toolOutput
    }
  }

  private mutating func said(by maker: Entry.MadeBy, in record: inout RecordReader) {
    for block in blocks(in: record) { read(block, madeBy: maker, in: &record) }
  }

  /// What stands as the content: a text, or the blocks of a list.
  private func blocks(in record: RecordReader) -> [Range<Int>] {
    guard let content = message["content"] else { return [] }
    return JSONText.elements(content, in: record.bytes) ?? [content]
  }
}

// MARK: - Answers

extension LangChainMessage {
  /// What a model thought, said and called, in this order.
  private mutating func answer(in record: inout RecordReader) {
    let made = toolCalls(in: record)
    listed = Set(made.map(\.id))
    if let extra = message.object("additional_kwargs"),
      let thought = extra["reasoning_content"].flatMap({ record.text($0) }), !thought.isEmpty
    {
      said.add([.text(thought)], to: .reasoning, in: &record)
    }
    said(by: .response, in: &record)
    for call in made { said.add(call, in: &record) }
  }

  private mutating func toolCalls(in record: RecordReader) -> [Entry.ToolCall] {
    var found: [Entry.ToolCall] = []
    for key in ["tool_calls", "invalid_tool_calls"] {
      for element in message.elements(key) ?? [] {
        guard let call = JSONObject(element, in: record.bytes) else { continue }
        // Arguments that are no JSON stand there as the model wrote them.
        let arguments = call.string("args") ?? call.json("args")?.text ?? "{}"
        if let error = call.name("error") {
          details.add("calls", [found.count: [("error", .string(error))]])
        }
        found.append(
          calls.call(call.name("id"), tool: call.string("name") ?? "", arguments: arguments))
      }
    }
    return found
  }
}

// MARK: - Outputs

extension LangChainMessage {
  private mutating func output(in record: inout RecordReader) {
    let name = message.name("name")
    // Functions are older than ids, and their messages say only which one answered.
    let id = message.name("tool_call_id") ?? name.flatMap { calls.newest(of: $0) }
    let tool = name ?? id.flatMap { calls.tool(of: $0) }
    let call = Entry.ToolCall(id: id ?? "", tool: tool ?? "")
    let maker: Entry.MadeBy = id == nil ? .source : .toolCall(call)
    record.basis = message.name("tool_call_id") == nil ? .position : .recorded
    defer { record.basis = .recorded }
    var entry = Entry.toolOutput(callID: id, tool: tool, segments: [])
    entry.created = nil
    entry.segments = blocks(in: record).flatMap { segments(of: $0, madeBy: maker, in: &record) }
    said.add(entry, in: &record)
    guard let artifact = message["artifact"] else { return }
    // A program got this, and no model did.
    let shown = ReturnedJSON.segments(artifact, madeBy: maker, in: &record)
    if shown.isEmpty { return }
    var event = Entry(.event, segments: shown, created: nil)
    event.visibility = .person
    said.add(event, in: &record)
  }
}

// MARK: - Blocks

extension LangChainMessage {
  private mutating func read(
    _ range: Range<Int>, madeBy maker: Entry.MadeBy, in record: inout RecordReader
  ) {
    let block = JSONObject(range, in: record.bytes)
    switch block?.string("type") {
    case "reasoning"?, "thinking"?, "redacted_thinking"?:
      if let block { think(block, range, in: &record) }
    case "tool_use"?, "tool_call"?, "function_call"?, "invalid_tool_call"?, "server_tool_call"?,
      "server_tool_use"?:
      if let block { call(block, in: &record) }
    case "server_tool_result"?:
      if let block { answered(block, in: &record) }
    default:
      said.begin(kind, in: &record)
      said.add(segments(of: range, madeBy: maker, in: &record), to: kind, in: &record)
    }
  }

  /// A text, a file, or what is not understood.
  private func segments(
    of range: Range<Int>, madeBy maker: Entry.MadeBy, in record: inout RecordReader
  ) -> [Entry.Segment] {
    guard let block = JSONObject(range, in: record.bytes) else {
      switch JSONText.kind(range, in: record.bytes) {
      case .null?, nil: return []
      case .string?:
        return record.text(range).map { $0.isEmpty ? [] : [.text($0)] } ?? []
      default: return [.init(record.opaque(range, type: "content"))]
      }
    }
    let type = block.string("type") ?? ""
    if ["text", "text-plain", "input_text", "output_text"].contains(type),
      let text = block["text"].flatMap({ record.text($0) })
    {
      return text.isEmpty ? [] : [.text(text)]
    }
    if let content = LangChainMedia(block, in: record.bytes)?.attach(madeBy: maker, to: &record) {
      return [.init(content)]
    }
    record.remark("A block of the type '\(type)' is kept as it is.")
    EmbeddedBase64.cut(range, from: &record)
    return [.init(record.opaque(range, type: type.isEmpty ? "block" : type))]
  }

  /// Each thought is an entry, because each is signed by itself.
  private mutating func think(
    _ block: JSONObject, _ range: Range<Int>, in record: inout RecordReader
  ) {
    said.close(in: &record)
    var texts: [String] = []
    for key in ["reasoning", "thinking", "text"] {
      if let text = block[key].flatMap({ record.text($0) }), !text.isEmpty { texts.append(text) }
    }
    for element in block.elements("summary") ?? [] {
      let part = JSONObject(element, in: record.bytes)
      if let text = part?["text"].flatMap({ record.text($0) }) { texts.append(text) }
    }
    said.begin(.reasoning, in: &record)
    if texts.isEmpty {
      said.add(
        [.init(record.opaque(range, type: block.string("type") ?? "reasoning"))], to: .reasoning,
        in: &record)
    } else {
      said.add(texts.map { .text($0) }, to: .reasoning, in: &record)
    }
    if let signature = block.name("signature") ?? block.object("extras")?.name("signature") {
      said.sign(signature)
    }
    said.close(in: &record)
  }

  /// A call in the content, unless the message lists it.
  private mutating func call(_ block: JSONObject, in record: inout RecordReader) {
    let id = block.name("call_id") ?? block.name("id")
    if let id, listed.contains(id) { return }
    let arguments = ["args", "input", "arguments"].lazy.compactMap { key in
      block.string(key) ?? block.json(key)?.text
    }.first
    said.add(
      calls.call(id, tool: block.string("name") ?? "", arguments: arguments ?? "{}"), in: &record)
  }

  /// What a service's own tool gave back, in the message of the model.
  private mutating func answered(_ block: JSONObject, in record: inout RecordReader) {
    said.close(in: &record)
    let id = block.name("tool_call_id")
    let tool = id.flatMap { calls.tool(of: $0) }
    var entry = Entry.toolOutput(callID: id, tool: tool, segments: [])
    entry.created = nil
    let maker: Entry.MadeBy = id.map { .toolCall(.init(id: $0, tool: tool ?? "")) } ?? .source
    if let output = block["output"] {
      entry.segments = ReturnedJSON.segments(output, madeBy: maker, in: &record)
    }
    said.add(entry, in: &record)
  }
}
