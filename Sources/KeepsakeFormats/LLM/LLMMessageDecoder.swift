import Keepsake

/// Reads the messages of a thread.
struct LLMMessageDecoder: RecordDecoder {
  static let format = LLMCodec.name

  /// The time of each message, by its hash.
  let times: [String: String]
  private var calls = LLMCalls()
  /// The calls that the previous message answered, where it held only results.
  private var answered: [Entry.ToolCall] = []

  init(times: [String: String]) { self.times = times }

  mutating func entries(of record: inout RecordReader, at value: Range<Int>) -> [SourceEntry] {
    guard let line = JSONObject(value, in: record.bytes), let message = line.object("message")
    else {
      // This record holds the thread itself and turns off its main line, from which no entry is made.
      EmbeddedBase64.cut(value, from: &record)
      return []
    }
    let hash = message.string("hash")
    let role = message.string("role") ?? ""
    let parts = line.elements("parts") ?? []
    let before = answered
    answered = []
    var said = RecordEntries()
    if role == "user", !before.isEmpty, Self.isAttachmentsAlone(parts, in: record) {
      passOn(parts, from: before, to: &said, in: &record)
    } else {
      for (index, part) in parts.enumerated() {
        read(part, of: role, at: "\(hash ?? "message")/\(index)", to: &said, in: &record)
      }
      said.close(in: &record)
    }
    let turn = (line.elements("turns") ?? []).first.flatMap { JSONObject($0, in: record.bytes) }
    if role == "assistant", turn != nil, said.entries.isEmpty {
      said.add(Entry(.response, segments: [.text("")], created: nil), in: &record)
    }
    EmbeddedBase64.cut(value, from: &record)
    if !record.fits(value) {
      let reason = "The message is too large for an entry; it is kept as it is."
      said.replace(with: record.whole(value, type: "message", because: reason))
    }
    said.stamp(hash.flatMap { times[$0] }.flatMap(ForeignTime.date), key: hash)
    if let turn { said.complete(model: turn.llmModel, usage: turn.llmUsage) }
    return said.entries
  }
}

// MARK: - Parts

extension LLMMessageDecoder {
  private mutating func read(
    _ range: Range<Int>, of role: String, at place: String, to said: inout RecordEntries,
    in record: inout RecordReader
  ) {
    guard let part = JSONObject(range, in: record.bytes) else { return }
    switch part.string("type") {
    case "text":
      guard let text = Self.text(of: part, in: &record), !text.isEmpty else { return }
      said.add([.text(text)], to: Self.kind(of: role), in: &record)
    case "reasoning":
      said.close(in: &record)
      let text = Self.text(of: part, in: &record) ?? ""
      said.add(Entry(.reasoning, segments: [.text(text)], created: nil), in: &record)
    case "attachment":
      let kind = Self.kind(of: role)
      said.begin(kind, in: &record)
      let maker = maker(of: role)
      said.add(Self.attachments(of: part, madeBy: maker, in: &record), to: kind, in: &record)
    case "tool_call": call(part, at: place, to: &said, in: &record)
    case "tool_result": result(part, at: place, to: &said, in: &record)
    default:
      said.close(in: &record)
      record.remark("A part is of a type that is not known here; it is kept as it is.")
      let content = record.opaque(range, type: "part")
      said.add(Entry(.unknown, segments: [.init(content)], created: nil), in: &record)
    }
  }

  private mutating func call(
    _ part: JSONObject, at place: String, to said: inout RecordEntries,
    in record: inout RecordReader
  ) {
    let payload = part.embedded("payload")
    let call = calls.call(
      id: payload?["tool_call_id"]?.stringValue,
      tool: payload?["name"]?.stringValue ?? part.string("tool_name") ?? "",
      arguments: payload?["arguments"]?.text ?? "{}", at: place)
    said.add(call, in: &record)
  }

  private mutating func result(
    _ part: JSONObject, at place: String, to said: inout RecordEntries,
    in record: inout RecordReader
  ) {
    said.close(in: &record)
    let payload = part.embedded("payload")
    let tool = payload?["name"]?.stringValue ?? part.string("tool_name") ?? ""
    let call = calls.answered(
      id: payload?["tool_call_id"]?.stringValue, tool: tool, at: place)
    answered.append(call)
    var output = Entry.toolOutput(callID: call.id, tool: call.tool, segments: [])
    let text =
      payload?["output"].map { $0.stringValue ?? $0.text }
      ?? Self.text(of: part, in: &record)
    if let text { output.segments.append(.text(text)) }
    if let exception = payload?["exception"], !exception.isNull { output.status = .failed }
    let links = part.elements("attachments") ?? []
    output.segments += record.attach(llm: links, madeBy: .toolCall(call))
    said.add(output, in: &record)
  }
}

// MARK: - What came from a tool

extension LLMMessageDecoder {
  /// Returns whether a message holds only attachments, which is how llm passes a tool's attachments on to the model.
  private static func isAttachmentsAlone(_ parts: [Range<Int>], in record: RecordReader) -> Bool {
    var hasAttachment = false
    for part in parts {
      let part = JSONObject(part, in: record.bytes)
      switch part?.string("type") {
      case "attachment": hasAttachment = true
      case "text" where part?.string("text") == "": continue
      default: return false
      }
    }
    return hasAttachment
  }

  /// Adds attachments that came from a tool as a prompt for the model alone.
  ///
  /// The database does not say which call made them, so the tool call is their maker only where the previous message
  /// answered one.
  private func passOn(
    _ parts: [Range<Int>], from calls: [Entry.ToolCall], to said: inout RecordEntries,
    in record: inout RecordReader
  ) {
    let maker: Entry.MadeBy = calls.count == 1 ? .toolCall(calls[0]) : .source
    record.basis = .position
    defer { record.basis = .recorded }
    for part in parts {
      guard let part = JSONObject(part, in: record.bytes), part.string("type") == "attachment"
      else { continue }
      said.add(
        Self.attachments(of: part, madeBy: maker, in: &record), to: .prompt, in: &record)
    }
    said.hideLast()
    said.close(in: &record)
  }

  private func maker(of role: String) -> Entry.MadeBy {
    switch role {
    case "user": .user
    case "assistant": .response
    case "tool" where answered.count == 1: .toolCall(answered[0])
    default: .source
    }
  }

  private static func attachments(
    of part: JSONObject, madeBy maker: Entry.MadeBy, in record: inout RecordReader
  ) -> [Entry.Segment] {
    if let links = part.elements("attachments") {
      return record.attach(llm: links, madeBy: maker)
    }
    let id = part.embedded("payload")?["attachment"]?["id"]?.stringValue
    return [.init(record.attach(missing: id, mediaType: nil, madeBy: maker))]
  }
}

// MARK: - Text

extension LLMMessageDecoder {
  private static func kind(of role: String) -> Entry.Kind {
    switch role {
    case "system": .instructions
    case "user": .prompt
    case "assistant": .response
    case "tool": .toolOutput
    default: .unknown
    }
  }

  /// The text of a part: its own text, or joined pieces, some of which are stored as fragments.
  private static func text(of part: JSONObject, in record: inout RecordReader) -> String? {
    if let own = part["text"], let text = record.text(own) { return text }
    guard let pieces = part.embedded("payload")?["text_ref"]?.arrayValue else { return nil }
    var fragments: [Int64: Range<Int>] = [:]
    for link in part.elements("fragments") ?? [] {
      let fragment = JSONObject(link, in: record.bytes)?.object("fragment")
      guard let id = fragment?.json("id")?.intValue, let content = fragment?["content"] else {
        continue
      }
      fragments[id] = content
    }
    var text = ""
    for piece in pieces {
      if let literal = piece["literal"]?.stringValue {
        text += literal
      } else if let content = piece["fragment"]?.intValue.flatMap({ fragments[$0] }),
        let fragment = record.text(content)
      {
        text += fragment
      } else {
        record.remark("A piece of a text is not in the database; the text stands without it.")
      }
    }
    return text
  }
}
