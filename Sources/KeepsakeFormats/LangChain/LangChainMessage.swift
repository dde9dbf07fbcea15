#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads one message of LangChain, which holds a model's thoughts, texts and calls, as an entry each.
struct LangChainMessage {
  /// The role of the message's author.
  enum Role {
    case human, ai, system, tool

    /// - Parameter type: The type that a message states, `human`, or its class, `HumanMessageChunk`.
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
  /// Members that Keepsake has no field for; the message's first entry keeps them.
  private var details = ForeignDetails()
  /// The ids of the calls in the message's own list. The content repeats these calls in the service's form.
  private var listed: Set<String> = []

  /// Creates a reader of a message; nil where the message's role is not known.
  init?(_ object: JSONObject, in bytes: [UInt8], _ calls: KnownCalls) {
    var type = object.string("type")
    if type == "constructor" {
      type = object.elements("id")?.last.flatMap { JSONText.string($0, in: bytes) }
    }
    guard let message = object.object("data") ?? object.object("kwargs") else { return nil }
    // A chat message of an app's own role states the role in a member.
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

  /// The ranges of the blocks of the content; a content that is a text is the only block.
  private func blocks(in record: RecordReader) -> [Range<Int>] {
    guard let content = message["content"] else { return [] }
    return JSONText.elements(content, in: record.bytes) ?? [content]
  }
}

// MARK: - Answers

extension LangChainMessage {
  /// Adds the thoughts, the texts and the calls of a model's message, in this order.
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
        // Arguments that are no JSON are stored as the text that the model wrote.
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
    // Messages of functions are older than ids of calls, and name only the function that answered.
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
    // The artifact is for the program; the model never sees it, so it becomes an event.
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

  /// The segments of a block: a text, a file, or opaque content where the block is not understood.
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

  /// Adds a thought as an entry of its own, because each thought carries its own signature.
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

  /// Adds a call in the content, unless the message's own list holds it.
  private mutating func call(_ block: JSONObject, in record: inout RecordReader) {
    let id = block.name("call_id") ?? block.name("id")
    if let id, listed.contains(id) { return }
    let arguments = ["args", "input", "arguments"].lazy.compactMap { key in
      block.string(key) ?? block.json(key)?.text
    }.first
    said.add(
      calls.call(id, tool: block.string("name") ?? "", arguments: arguments ?? "{}"), in: &record)
  }

  /// Adds the result of a service's own tool, which stands in the model's message.
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
