import Keepsake

/// Writes entries as messages: a response and the calls after it become one message, and each output a message of its
/// own.
///
/// Only a user's message can hold images, so images that a tool or a model made go into a user's message that
/// follows.
struct OpenAIChatEncoder: RecordEncoder {
  private let form: WireForm
  private var tools: JSON?
  /// The message of a response to which calls may still be added.
  private var open: RecordWriter?
  /// The attachments that the messages so far could not hold.
  private var moved = MovedAttachments()
  private static let family = WireFamily(OpenAIChatCodec.name)

  init(_ form: WireForm) { self.form = form }

  mutating func records(with entry: OutgoingEntry, _ losses: inout Losses) -> [OutgoingRecord] {
    switch Self.family.fate(of: entry, unless: Self.omission(entry.entry), &losses) {
    case .leftOut: return []
    case .verbatim(let record): return rest() + [record]
    case .written: break
    }
    switch entry.entry.kind {
    case .instructions:
      if let tools = entry.entry.toolDefinitions { keep(tools, &losses) }
      if entry.entry.segments.isEmpty { return [] }
      return rest() + [message(entry, "system", &losses).finish()]
    case .toolCalls: return calls(entry, &losses)
    case .toolOutput:
      // All outputs of calls that were made together have to follow the calls directly.
      return end() + [message(entry, "tool", &losses).finish()]
    case .response:
      let ended = rest()
      open = message(entry, "assistant", &losses, isOpen: true)
      return ended
    default: return rest() + [message(entry, "user", &losses).finish()]
    }
  }

  /// The reason why no message can hold an entry; nil where one can.
  private static func omission(_ entry: Entry) -> Losses.Kind? {
    switch entry.kind {
    case .reasoning: .reasoning
    case .toolOutput: entry.callID == nil ? .withoutCall : nil
    default: nil
    }
  }

  mutating func rest() -> [OutgoingRecord] { end() + placeMoved() }

  func suffix() -> OutgoingRecord {
    switch form {
    case .list: OutgoingRecord(bytes: Array("]".utf8))
    case .request:
      OutgoingRecord(bytes: Array("]\(tools.map { ",\"tools\":\($0.text)" } ?? "")}".utf8))
    }
  }

  /// Ends the open message of a response.
  private mutating func end() -> [OutgoingRecord] {
    guard var writer = open else { return [] }
    open = nil
    writer.json.endObject()
    return [writer.finish()]
  }

  /// A user's message with the attachments that the messages before could not hold.
  private mutating func placeMoved() -> [OutgoingRecord] {
    if moved.isEmpty { return [] }
    var writer = RecordWriter()
    writer.json.beginObject()
    writer.member("role", "user")
    writer.json.key("content")
    writer.json.beginArray()
    for attachment in moved.take() { OpenAIChatPart(attachment).write(to: &writer) }
    writer.json.endArray()
    writer.json.endObject()
    return [writer.finish()]
  }

  private mutating func keep(_ tools: JSON, _ losses: inout Losses) {
    if form == .list { return losses.add(.details) }
    let framed = ToolDefinition.functions(tools, &losses)
    self.tools = framed ?? self.tools
  }
}

// MARK: - Messages

extension OpenAIChatEncoder {
  private mutating func message(
    _ entry: OutgoingEntry, _ role: String, _ losses: inout Losses, isOpen: Bool = false
  ) -> RecordWriter {
    let details = Self.family.details(of: entry.entry)
    var writer = RecordWriter()
    writer.json.beginObject()
    writer.member("role", details["role"] ?? .string(role))
    if entry.entry.kind == .toolOutput {
      writer.member("tool_call_id", entry.entry.callID)
      if details["role"] != nil { writer.member("name", entry.entry.tool) }
    }
    content(entry, details, in: &writer, &losses)
    writer.members(details.members.filter { !Self.taken.contains($0.key) })
    if !isOpen { writer.json.endObject() }
    return writer
  }

  /// Details that are written in another place of the message.
  private static let taken: Set<String> = ["role", "content", "function_call", "audio"]

  private mutating func content(
    _ entry: OutgoingEntry, _ details: ForeignDetails, in writer: inout RecordWriter,
    _ losses: inout Losses
  ) {
    let others = details.elements("content")
    let parts = entry.parts(of: Self.family, &losses).map { index, part in
      OpenAIChatPart(part, index.flatMap { others[$0] } ?? [])
    }.map { entry.entry.kind == .prompt ? $0 : beside($0, &losses) }
    writer.json.key("content")
    if parts.count == 1, let text = parts[0].plainText { return writer.json.string(text) }
    if parts.isEmpty { return writer.json.string("") }
    writer.json.beginArray()
    for part in parts {
      if part.isLost { losses.add(.attachments) }
      part.write(to: &writer)
    }
    writer.json.endArray()
  }

  /// Replaces an image in a message that can't hold it by a text, and keeps the image for a following message.
  private mutating func beside(_ part: OpenAIChatPart, _ losses: inout Losses) -> OpenAIChatPart {
    guard case .attachment(let attachment) = part.part, !part.isLost else { return part }
    return OpenAIChatPart(.text(moved.add(attachment, &losses)), [])
  }

  private mutating func calls(_ entry: OutgoingEntry, _ losses: inout Losses) -> [OutgoingRecord] {
    losses.add(.loose, entry.loose.count)
    // A moved image belongs directly after its response, so the response ends before calls are written.
    var ended = moved.isEmpty ? [] : rest()
    var writer: RecordWriter
    if let open {
      writer = open
    } else {
      ended += rest()
      writer = RecordWriter()
      writer.json.beginObject()
      writer.member("role", "assistant")
      writer.json.key("content")
      writer.json.null()
    }
    writer.json.key("tool_calls")
    writer.json.beginArray()
    let details = Self.family.details(of: entry.entry).elements("calls")
    for (index, call) in entry.entry.toolCalls.enumerated() {
      // A custom tool takes any text, and a function takes JSON.
      let isCustom = details[index]?.contains { $0.key == "type" } ?? false
      writer.json.beginObject()
      writer.member("id", call.id)
      writer.member("type", isCustom ? "custom" : "function")
      writer.json.key(isCustom ? "custom" : "function")
      writer.json.beginObject()
      writer.member("name", call.tool)
      writer.member(isCustom ? "input" : "arguments", call.arguments)
      writer.json.endObject()
      writer.json.endObject()
    }
    writer.json.endArray()
    open = writer
    return ended + end()
  }
}
