import Keepsake

/// Writes entries as contents: a model's thoughts, texts and calls become one content, and so do the outputs of its
/// calls.
struct GeminiEncoder: RecordEncoder {
  private let form: WireForm
  private var tools: JSON?
  private var system: [String] = []
  private var canHaveSystem: Bool
  /// The content to which further entries may still be added.
  private var open: OpenMessage?
  /// The names of tools by the ids of their calls, because an output has to name its tool.
  private var called = KnownCalls()

  static let family = WireFamily(GeminiCodec.name, GeminiCLICodec.name)

  init(_ form: WireForm, isNew: Bool) {
    self.form = form
    canHaveSystem = isNew && form == .request
  }

  mutating func records(with entry: OutgoingEntry, _ losses: inout Losses) -> [OutgoingRecord] {
    let isOrphan = entry.entry.kind == .toolOutput && entry.entry.callID == nil
    switch Self.family.fate(of: entry, unless: isOrphan ? .withoutCall : nil, &losses) {
    case .leftOut: return []
    case .verbatim(let record): return rest() + [record]
    case .written: break
    }
    switch entry.entry.kind {
    case .instructions: return instructions(entry, &losses)
    case .reasoning: return add(to: "model", entry, unlessAfter: [.reasoning, .toolCalls], &losses)
    case .response: return add(to: "model", entry, unlessAfter: [.response, .toolCalls], &losses)
    case .toolCalls: return add(to: "model", entry, unlessAfter: [.toolCalls], &losses)
    case .toolOutput: return add(to: "user", entry, unlessAfter: [.prompt], &losses)
    default: return add(to: "user", entry, unlessAfter: [.prompt, .toolOutput], &losses)
    }
  }

  mutating func rest() -> [OutgoingRecord] {
    defer { open = nil }
    return open.map { [$0.finished()] } ?? []
  }

  func suffix() -> OutgoingRecord {
    if form == .list { return OutgoingRecord(bytes: Array("]".utf8)) }
    var members = ""
    if !system.isEmpty {
      let parts = JSON.array(system.map { ["text": .string($0)] })
      members += ",\"systemInstruction\":\(JSON.object([("parts", parts)]).text)"
    }
    if let tools { members += ",\"tools\":\(tools.text)" }
    return OutgoingRecord(bytes: Array("]\(members)}".utf8))
  }

  private mutating func instructions(_ entry: OutgoingEntry, _ losses: inout Losses)
    -> [OutgoingRecord]
  {
    if let tools = entry.entry.toolDefinitions { keep(tools, &losses) }
    if entry.entry.segments.isEmpty { return [] }
    guard canHaveSystem, system.isEmpty, open == nil else {
      // The service takes instructions only in the request, so later ones are written as a person's message.
      losses.add(.details)
      return add(to: "user", entry, unlessAfter: [.prompt, .toolOutput, .instructions], &losses)
    }
    system = entry.parts(of: Self.family, &losses).map { _, part in
      if case .text(let text) = part { return text }
      losses.add(.attachments)
      if case .attachment(let attachment) = part { return attachment.placeholder }
      return "[attachment]"
    }
    return []
  }

  private mutating func keep(_ tools: JSON, _ losses: inout Losses) {
    if form == .list { return losses.add(.details) }
    var own: [JSON] = []
    var declared: [JSON] = []
    for element in tools.arrayValue ?? [tools] {
      let isFunction = element["name"] != nil || element["function"] != nil
      if !isFunction {
        own.append(element)
        continue
      }
      for tool in ToolDefinition.list([element]) {
        if let tool {
          declared.append(tool.json(schema: "parameters"))
        } else {
          losses.add(.details)
        }
      }
    }
    if !declared.isEmpty { own.append(["functionDeclarations": .array(declared)]) }
    if !own.isEmpty { self.tools = .array(own) }
  }

  private mutating func add(
    to role: String, _ entry: OutgoingEntry, unlessAfter kinds: Set<Entry.Kind>,
    _ losses: inout Losses
  ) -> [OutgoingRecord] {
    canHaveSystem = false
    var ended: [OutgoingRecord] = []
    if let open, let last = open.last, open.role != role || kinds.contains(last) { ended = rest() }
    var message = open ?? OpenMessage(role: role, list: "parts")
    // The property must not hold the message as well, or each change would copy its bytes.
    open = nil
    switch entry.entry.kind {
    case .toolCalls: calls(entry, to: &message.writer, &losses)
    case .toolOutput: output(entry, to: &message.writer, &losses)
    default: content(entry, to: &message.writer, &losses)
    }
    message.last = entry.entry.kind
    open = message
    return ended
  }
}

// MARK: - Parts

extension GeminiEncoder {
  private func content(
    _ entry: OutgoingEntry, to writer: inout RecordWriter, _ losses: inout Losses
  ) {
    let isThought = entry.entry.kind == .reasoning
    var others = Self.family.details(of: entry.entry).elements("parts")
    var signature = entry.entry.signature
    if signature != nil, entry.entry.model.map({ !$0.hasPrefix("gemini") }) ?? false {
      // The service refuses a signature that it did not make.
      losses.add(.signatures)
      signature = nil
    }
    let parts = entry.parts(of: Self.family, &losses)
    if isThought, let signature, let last = parts.last?.segment {
      others[last, default: []].append(("thoughtSignature", .string(signature)))
    }
    for (index, part) in parts {
      if case .attachment(let attachment) = part, GeminiPart.isLost(attachment) {
        losses.add(.attachments)
      }
      var members = index.flatMap { others[$0] } ?? []
      if isThought { members.insert(("thought", true), at: 0) }
      GeminiPart.write(part, to: &writer, members)
    }
  }

  private mutating func calls(
    _ entry: OutgoingEntry, to writer: inout RecordWriter, _ losses: inout Losses
  ) {
    losses.add(.loose, entry.loose.count)
    let others = Self.family.details(of: entry.entry).elements("parts")
    for (index, call) in entry.entry.toolCalls.enumerated() {
      _ = called.call(call.id, tool: call.tool, arguments: call.arguments)
      writer.json.beginObject()
      writer.json.key("functionCall")
      writer.json.beginObject()
      writer.member("id", call.id)
      writer.member("name", call.tool)
      writer.member("args", call.argumentsObject(&losses))
      writer.json.endObject()
      writer.members(others[index] ?? [])
      writer.json.endObject()
    }
  }

  private func output(
    _ entry: OutgoingEntry, to writer: inout RecordWriter, _ losses: inout Losses
  ) {
    writer.json.beginObject()
    writer.json.key("functionResponse")
    writer.json.beginObject()
    writer.member("id", entry.entry.callID)
    let tool = entry.entry.tool ?? entry.entry.callID.flatMap { called.tool(of: $0) }
    writer.member("name", tool ?? "")
    if entry.entry.segments.count == 1,
      case .structure(let json, _) = entry.entry.segments[0].content, json.kind == .object
    {
      writer.member("response", json)
    } else {
      returned(entry, to: &writer, &losses)
    }
    writer.json.endObject()
    writer.json.endObject()
  }

  /// Writes an output's texts as an object, and its images as a list of parts beside the object.
  private func returned(
    _ entry: OutgoingEntry, to writer: inout RecordWriter, _ losses: inout Losses
  ) {
    var texts: [String] = []
    var images: [OutgoingAttachment] = []
    for (_, part) in entry.parts(of: Self.family, &losses) {
      switch part {
      case .text(let text):
        if !images.isEmpty { losses.add(.moved, images.count) }
        texts.append(text)
      case .attachment(let attachment) where GeminiPart.isLost(attachment):
        losses.add(.attachments)
        texts.append(attachment.placeholder)
      case .attachment(let attachment): images.append(attachment)
      case .raw, .rawAttachment: losses.add(.foreign)
      }
    }
    let output = texts.count == 1 ? JSON.string(texts[0]) : .array(texts.map(JSON.string))
    writer.member("response", texts.isEmpty ? [:] : ["output": output])
    if images.isEmpty { return }
    writer.json.key("parts")
    writer.json.beginArray()
    for image in images { GeminiPart.write(.attachment(image), to: &writer, []) }
    writer.json.endArray()
  }
}
