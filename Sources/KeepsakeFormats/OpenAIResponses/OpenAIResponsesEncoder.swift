#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Writes entries as items: each call is an item, and so is each output, except those of the service's own tools.
///
/// The call of a tool that the service runs holds the tool's output in itself.
struct OpenAIResponsesEncoder: RecordEncoder {
  private let form: WireForm
  private var tools: JSON?
  /// The text of the request's `instructions`, which must come before all other entries.
  private var instructions: String?
  private var isEmpty = true
  /// Whether the item that was written last is a call of a function.
  private var endsWithCalls = false
  /// A call of one of the service's own tools, to which its output may still be added.
  private var open: (writer: RecordWriter, type: String, call: String)?
  private var moved = MovedAttachments()

  static let family = WireFamily(OpenAIResponsesCodec.name, CodexCodec.name)

  init(_ form: WireForm, isNew: Bool = true) {
    self.form = form
    isEmpty = isNew && form == .request
  }

  mutating func records(with entry: OutgoingEntry, _ losses: inout Losses) -> [OutgoingRecord] {
    switch Self.family.fate(of: entry, unless: Self.omission(entry.entry), &losses) {
    case .leftOut: return []
    case .verbatim(let record): return rest() + [record]
    case .written: break
    }
    if isEmpty, entry.entry.kind == .instructions, begins(with: entry, &losses) { return [] }
    if entry.entry.kind == .instructions, let tools = entry.entry.toolDefinitions {
      keep(tools, &losses)
      if entry.entry.segments.isEmpty { return [] }
    }
    isEmpty = false
    note(entry.entry, &losses)
    switch entry.entry.kind {
    case .reasoning: return rest() + [reasoning(entry, &losses)]
    case .toolCalls: return rest() + calls(entry, &losses)
    case .toolOutput:
      if let open, open.call == entry.entry.callID { return answer(entry, &losses) }
      return end() + [output(entry, &losses)]
    default: return rest() + [message(entry, &losses)]
    }
  }

  mutating func rest() -> [OutgoingRecord] { end() + placeMoved() }

  func suffix() -> OutgoingRecord {
    if form == .list { return OutgoingRecord(bytes: Array("]".utf8)) }
    let members = [("instructions", instructions.map(JSON.string)), ("tools", tools)]
      .compactMap { key, value in value.map { ",\"\(key)\":\($0.text)" } }
    return OutgoingRecord(bytes: Array("]\(members.joined())}".utf8))
  }

  /// The reason why no item can hold an entry; nil where one can.
  private static func omission(_ entry: Entry) -> Losses.Kind? {
    switch entry.kind {
    // The service takes back only its own reasoning, which it knows by an id or by an encrypted content.
    case .reasoning: isOwn(entry) ? nil : .reasoning
    case .toolOutput: entry.callID == nil ? .withoutCall : nil
    default: nil
    }
  }

  private static func isOwn(_ entry: Entry) -> Bool {
    entry.key?.hasPrefix("rs_") ?? false
      || entry.segments.contains {
        if case .opaque(_, let type) = $0.content { family.hasContent(type) } else { false }
      }
  }

  /// Writes instructions that come before all other entries into the request; false where they have to become an
  /// item.
  private mutating func begins(with entry: OutgoingEntry, _ losses: inout Losses) -> Bool {
    let segments = entry.entry.segments
    guard Self.family.details(of: entry.entry)["role"] == nil, segments.count < 2,
      segments.isEmpty || segments[0].text != nil, instructions == nil
    else { return false }
    if let tools = entry.entry.toolDefinitions { keep(tools, &losses) }
    instructions = segments.first?.text
    return true
  }

  private mutating func keep(_ tools: JSON, _ losses: inout Losses) {
    if form == .list { return losses.add(.details) }
    let framed = ToolDefinition.framed(
      tools, isOwn: { $0["type"] != nil && $0["function"] == nil }, &losses
    ) { $0.item }
    self.tools = framed ?? self.tools
  }

  /// Counts a loss where two entries of calls follow one another, because readers take them for calls that were made
  /// together.
  private mutating func note(_ entry: Entry, _ losses: inout Losses) {
    let isCall = entry.kind == .toolCalls && Self.family.details(of: entry)["type"] == nil
    if isCall, endsWithCalls { losses.add(.grouping) }
    endsWithCalls = isCall
  }

  private mutating func end() -> [OutgoingRecord] {
    guard var writer = open?.writer else { return [] }
    open = nil
    writer.json.endObject()
    return [writer.finish()]
  }

  private mutating func placeMoved() -> [OutgoingRecord] {
    if moved.isEmpty { return [] }
    var writer = begun("message")
    writer.member("role", "user")
    writer.json.key("content")
    writer.json.beginArray()
    for attachment in moved.take() {
      ResponsesPart(.attachment(attachment), []).write(to: &writer, asOutput: false)
    }
    writer.json.endArray()
    writer.json.endObject()
    return [writer.finish()]
  }

  private func begun(_ type: String) -> RecordWriter {
    var writer = RecordWriter()
    writer.json.beginObject()
    writer.member("type", type)
    return writer
  }
}

// MARK: - What was said

extension OpenAIResponsesEncoder {
  private mutating func message(_ entry: OutgoingEntry, _ losses: inout Losses) -> OutgoingRecord {
    let details = Self.family.details(of: entry.entry)
    let isAnswer = entry.entry.kind == .response
    var writer = begun("message")
    if isAnswer {
      // The service requires an id in each message of a model.
      writer.member("id", entry.entry.key ?? "msg_\(Self.name(of: entry.entry))")
      if details["status"] == nil { writer.member("status", "completed") }
    }
    let role = isAnswer ? "assistant" : entry.entry.kind == .prompt ? "user" : "system"
    writer.member("role", details["role"] ?? .string(role))
    writer.json.key("content")
    writer.json.beginArray()
    content(entry, to: &writer, asOutput: isAnswer, &losses)
    writer.json.endArray()
    writer.members(details.members.filter { !["role", "content", "type"].contains($0.key) })
    writer.json.endObject()
    return writer.finish()
  }

  private mutating func content(
    _ entry: OutgoingEntry, to writer: inout RecordWriter, asOutput isOutput: Bool,
    _ losses: inout Losses
  ) {
    let others = Self.family.details(of: entry.entry).elements("content")
    for (index, part) in entry.parts(of: Self.family, &losses) {
      var part = ResponsesPart(part, index.flatMap { others[$0] } ?? [])
      if part.isLost {
        losses.add(.attachments)
      } else if isOutput, case .attachment(let attachment) = part.part {
        part = ResponsesPart(.text(moved.add(attachment, &losses)), [])
      }
      part.write(to: &writer, asOutput: isOutput)
    }
  }

  private func reasoning(_ entry: OutgoingEntry, _ losses: inout Losses) -> OutgoingRecord {
    let details = Self.family.details(of: entry.entry)
    var writer = begun("reasoning")
    writer.member("id", entry.entry.key ?? "rs_\(Self.name(of: entry.entry))")
    writer.json.key("summary")
    writer.json.beginArray()
    var encrypted: JSON?
    for (_, part) in entry.parts(of: Self.family, &losses) {
      switch part {
      case .text(let text):
        writer.json.beginObject()
        writer.member("type", "summary_text")
        writer.member("text", text)
        writer.json.endObject()
      case .raw(let json): encrypted = json
      case .attachment, .rawAttachment: losses.add(.attachments)
      }
    }
    writer.json.endArray()
    writer.member("encrypted_content", encrypted)
    writer.members(details.members.filter { $0.key != "content" })
    writer.json.endObject()
    return writer.finish()
  }

  /// A name for an item without an id, which is the same at every export of the entry.
  private static func name(of entry: Entry) -> String {
    entry.id.text.filter { $0 != "-" }
  }
}

// MARK: - What was called, and what it returned

extension OpenAIResponsesEncoder {
  private mutating func calls(_ entry: OutgoingEntry, _ losses: inout Losses) -> [OutgoingRecord] {
    losses.add(.loose, entry.loose.count)
    let details = Self.family.details(of: entry.entry)
    var records: [OutgoingRecord] = []
    for call in entry.entry.toolCalls {
      let type = details["type"]?.stringValue ?? "function_call"
      var writer = begun(type)
      if type == "function_call" {
        writer.member("call_id", call.id)
        writer.member("name", call.tool)
        writer.member("arguments", call.arguments)
      } else {
        own(call, type, to: &writer)
      }
      writer.members(details.members.filter { $0.key != "type" })
      if ResponsesOwnTool.answered.contains(type) {
        open = (writer, type, call.id)
      } else {
        writer.json.endObject()
        records.append(writer.finish())
      }
    }
    return records
  }

  /// Writes the members of a call whose tool is not a function, in the spelling of the call's type.
  private func own(_ call: Entry.ToolCall, _ type: String, to writer: inout RecordWriter) {
    let isKnownByCall = ["custom_tool_call", "computer_call", "shell_call", "apply_patch_call"]
    writer.member(isKnownByCall.contains(type) ? "call_id" : "id", JSON.string(call.id))
    if ["custom_tool_call", "mcp_call"].contains(type) { writer.member("name", call.tool) }
    let arguments = try? JSON(validating: call.arguments)
    switch type {
    case "custom_tool_call": writer.member("input", call.arguments)
    case "mcp_call": writer.member("arguments", call.arguments)
    case "code_interpreter_call": writer.member("code", call.arguments)
    case "local_shell_call", "shell_call", "computer_call":
      writer.member("action", arguments)
    case "apply_patch_call": writer.member("operation", arguments)
    case "web_search_call" where arguments?["type"] != nil: writer.member("action", arguments)
    default: writer.members(arguments?.members ?? [])
    }
  }

  private func output(_ entry: OutgoingEntry, _ losses: inout Losses) -> OutgoingRecord {
    let details = Self.family.details(of: entry.entry)
    let type = details["type"]?.stringValue ?? "function_call_output"
    var writer = begun(type)
    writer.member(
      type == "local_shell_call_output" ? "id" : "call_id", entry.entry.callID.map(JSON.string))
    writer.json.key("output")
    if entry.entry.segments.count == 1,
      case .structure(let json, _) = entry.entry.segments[0].content,
      type != "function_call_output"
    {
      writer.json.raw(json)
    } else {
      returned(entry, to: &writer, details, &losses)
    }
    writer.members(details.members.filter { !["type", "content"].contains($0.key) })
    writer.json.endObject()
    return writer.finish()
  }

  private func returned(
    _ entry: OutgoingEntry, to writer: inout RecordWriter, _ details: ForeignDetails,
    _ losses: inout Losses
  ) {
    let others = details.elements("content")
    let parts = entry.parts(of: Self.family, &losses).map { index, part in
      ResponsesPart(part, index.flatMap { others[$0] } ?? [])
    }
    losses.add(.attachments, parts.count { $0.isLost })
    if parts.count == 1, let text = parts[0].plainText { return writer.json.string(text) }
    if parts.isEmpty { return writer.json.string("") }
    writer.json.beginArray()
    for part in parts { part.write(to: &writer, asOutput: false) }
    writer.json.endArray()
  }

  /// Writes the output of one of the service's own tools into the open call.
  private mutating func answer(_ entry: OutgoingEntry, _ losses: inout Losses) -> [OutgoingRecord] {
    guard let open else { return [] }
    var writer = open.writer
    let parts = entry.parts(of: Self.family, &losses).map(\.part)
    ResponsesOwnTool.write(parts, open.type, to: &writer, &losses)
    writer.json.endObject()
    self.open = nil
    return [writer.finish()]
  }
}
