import Keepsake

/// Writes entries as messages: a model's thoughts, texts and calls become one message, and so do the outputs of its
/// calls.
struct AnthropicEncoder: RecordEncoder {
  private let form: WireForm
  private var tools: JSON?
  /// The value of the request's `system`; instructions are added to it until the first message.
  private var system: JSON?
  private var canHaveSystem: Bool
  /// The message to which further entries may still be added.
  private var open: OpenMessage?
  private var moved = MovedAttachments()

  static let family = WireFamily(AnthropicCodec.name, ClaudeCodeCodec.name)

  init(_ form: WireForm, isNew: Bool) {
    self.form = form
    canHaveSystem = isNew && form == .request
  }

  mutating func records(with entry: OutgoingEntry, _ losses: inout Losses) -> [OutgoingRecord] {
    switch Self.family.fate(of: entry, unless: Self.omission(entry.entry), &losses) {
    case .leftOut: return []
    case .verbatim(let record): return rest() + [record]
    case .written: break
    }
    switch entry.entry.kind {
    case .instructions: return instructions(entry, &losses)
    case .reasoning: return add(to: "assistant", entry, unlessAfter: [.toolCalls], &losses)
    case .response:
      return add(to: "assistant", entry, unlessAfter: [.response, .toolCalls], &losses)
    case .toolCalls: return add(to: "assistant", entry, unlessAfter: [.toolCalls], &losses)
    case .toolOutput: return add(to: "user", entry, unlessAfter: [.prompt], &losses)
    default: return rest() + add(to: "user", entry, unlessAfter: [.prompt, .toolOutput], &losses)
    }
  }

  mutating func rest() -> [OutgoingRecord] { end() + placeMoved() }

  func suffix() -> OutgoingRecord {
    if form == .list { return OutgoingRecord(bytes: Array("]".utf8)) }
    let members = [("system", system), ("tools", tools)]
      .compactMap { key, value in value.map { ",\"\(key)\":\($0.text)" } }
    return OutgoingRecord(bytes: Array("]\(members.joined())}".utf8))
  }

  /// The reason why no message can hold an entry; nil where one can.
  private static func omission(_ entry: Entry) -> Losses.Kind? {
    switch entry.kind {
    // The service takes back no thought that it did not sign itself.
    case .reasoning:
      let isForeign = entry.model.map { !$0.hasPrefix("claude") } ?? false
      let isRedacted = entry.segments.contains {
        if case .opaque(_, let type) = $0.content { family.hasContent(type) } else { false }
      }
      return isForeign || entry.signature == nil && !isRedacted ? .reasoning : nil
    case .toolOutput: return entry.callID == nil ? .withoutCall : nil
    default: return nil
    }
  }
}

// MARK: - Messages

extension AnthropicEncoder {
  private mutating func instructions(_ entry: OutgoingEntry, _ losses: inout Losses)
    -> [OutgoingRecord]
  {
    if let tools = entry.entry.toolDefinitions { keep(tools, &losses) }
    if entry.entry.segments.isEmpty { return [] }
    guard canHaveSystem, open == nil else {
      return rest() + add(to: "system", entry, unlessAfter: [.instructions], &losses) + rest()
    }
    let texts = entry.parts(of: Self.family, &losses).map { _, part in
      if case .text(let text) = part { return text }
      losses.add(.attachments)
      return AnthropicBlock(part).placeholder
    }
    let blocks = texts.map { JSON.object([("type", "text"), ("text", .string($0))]) }
    // Several instructions become several blocks of `system`.
    let before = system.map { $0.arrayValue ?? [["type": "text", "text": $0]] } ?? []
    system = before.isEmpty && texts.count == 1 ? .string(texts[0]) : .array(before + blocks)
    return []
  }

  /// Adds an entry to the message that is open, or to a new one.
  /// - Parameters:
  ///   - role: The role of the message that the entry needs.
  ///   - entry: The entry.
  ///   - kinds: The kinds of a message's last entry after which this entry needs a new message.
  ///   - losses: Counts what cannot be written.
  /// - Returns: The messages that ended before the entry.
  private mutating func add(
    to role: String, _ entry: OutgoingEntry, unlessAfter kinds: Set<Entry.Kind>,
    _ losses: inout Losses
  ) -> [OutgoingRecord] {
    canHaveSystem = false
    var ended: [OutgoingRecord] = []
    let isAnswered = Self.isAnsweredByService(entry.entry)
    let role = isAnswered ? "assistant" : role
    if let open, let last = open.last, open.role != role || kinds.contains(last) && !isAnswered {
      // Outputs have to follow their calls directly, so moved images wait until all outputs are written.
      ended = entry.entry.kind == .toolOutput ? end() : rest()
    } else if open == nil, entry.entry.kind != .toolOutput {
      ended = rest()
    }
    var message = open ?? OpenMessage(role: role, list: "content")
    // The property must not hold the message as well, or each change would copy its bytes.
    open = nil
    write(entry, to: &message.writer, role: role, &losses)
    message.last = isAnswered ? .response : entry.entry.kind
    open = message
    return ended
  }

  private mutating func end() -> [OutgoingRecord] {
    defer { open = nil }
    return open.map { [$0.finished()] } ?? []
  }

  private mutating func placeMoved() -> [OutgoingRecord] {
    if moved.isEmpty { return [] }
    var message = OpenMessage(role: "user", list: "content")
    for attachment in moved.take() {
      AnthropicBlock(.attachment(attachment)).write(to: &message.writer)
    }
    return [message.finished()]
  }

  /// Returns whether an entry is the output of one of the service's own tools, which stands in the message of the model.
  private static func isAnsweredByService(_ entry: Entry) -> Bool {
    entry.kind == .toolOutput && family.details(of: entry)["type"] != nil
  }

  private mutating func keep(_ tools: JSON, _ losses: inout Losses) {
    if form == .list { return losses.add(.details) }
    let framed = ToolDefinition.framed(
      tools, isOwn: { $0["input_schema"] != nil || $0["mcp_server_name"] != nil }, &losses
    ) { $0.json(schema: "input_schema") }
    self.tools = framed ?? self.tools
  }
}

// MARK: - Blocks

extension AnthropicEncoder {
  private mutating func write(
    _ entry: OutgoingEntry, to writer: inout RecordWriter, role: String, _ losses: inout Losses
  ) {
    switch entry.entry.kind {
    case .reasoning: reasoning(entry, to: &writer, &losses)
    case .toolCalls: calls(entry, to: &writer, &losses)
    case .toolOutput: output(entry, to: &writer, &losses)
    default: content(entry, to: &writer, role: role, &losses)
    }
  }

  private mutating func content(
    _ entry: OutgoingEntry, to writer: inout RecordWriter, role: String, _ losses: inout Losses
  ) {
    for (_, part) in entry.parts(of: Self.family, &losses) {
      let block = AnthropicBlock(part)
      if block.isLost {
        losses.add(.attachments)
      } else if role != "user", case .attachment(let attachment) = part {
        AnthropicBlock(.text(moved.add(attachment, &losses))).write(to: &writer)
        continue
      }
      block.write(to: &writer)
    }
  }

  private func reasoning(
    _ entry: OutgoingEntry, to writer: inout RecordWriter, _ losses: inout Losses
  ) {
    guard let signature = entry.entry.signature else {
      for (_, part) in entry.parts(of: Self.family, &losses) {
        AnthropicBlock(part).write(to: &writer)
      }
      return
    }
    writer.json.beginObject()
    writer.member("type", "thinking")
    writer.member("thinking", entry.entry.text)
    writer.member("signature", signature)
    writer.json.endObject()
  }

  private func calls(
    _ entry: OutgoingEntry, to writer: inout RecordWriter, _ losses: inout Losses
  ) {
    losses.add(.loose, entry.loose.count)
    let details = Self.family.details(of: entry.entry).elements("calls")
    for (index, call) in entry.entry.toolCalls.enumerated() {
      let others = details[index] ?? []
      writer.json.beginObject()
      if !others.contains(where: { $0.key == "type" }) { writer.member("type", "tool_use") }
      writer.member("id", call.id)
      writer.member("name", call.tool)
      writer.member("input", call.argumentsObject(&losses))
      writer.members(others)
      writer.json.endObject()
    }
  }

  private func output(
    _ entry: OutgoingEntry, to writer: inout RecordWriter, _ losses: inout Losses
  ) {
    let details = Self.family.details(of: entry.entry)
    writer.json.beginObject()
    writer.member("type", details["type"] ?? "tool_result")
    writer.member("tool_use_id", entry.entry.callID)
    writer.json.key("content")
    let blocks = entry.parts(of: Self.family, &losses).map { AnthropicBlock($0.part) }
    losses.add(.attachments, blocks.count { $0.isLost })
    if blocks.count == 1, let value = blocks[0].alone(in: details["type"]?.stringValue) {
      writer.json.raw(value)
    } else {
      writer.json.beginArray()
      for block in blocks { block.write(to: &writer) }
      writer.json.endArray()
    }
    writer.member("is_error", details["is_error"])
    writer.json.endObject()
  }
}
