#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads one entry of Apple's transcript.
///
/// Members that Keepsake has no field for, such as `assets`, go into the entry's metadata, which is not compared:
/// they change with every update of the model. An entry or a segment that is malformed is kept as opaque, with a
/// remark.
struct AppleEntryReader: TranscriptEntryReader {
  static let format = AppleCodec.name

  var record: RecordReader
  var details = ForeignDetails()
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    record = RecordReader(bytes, format: AppleCodec.name)
  }

  mutating func understood(_ range: Range<Int>, created: Date?) throws(Unreadable) -> Entry {
    guard let object = JSONObject(range, in: bytes) else {
      throw Unreadable(reason: "an object was expected")
    }
    record.noteRepeated(object)
    guard let role = object.string("role") else { throw Unreadable(reason: "it has no role") }
    let known: [String]
    var entry: Entry
    switch role {
    case "instructions":
      entry = Entry(.instructions, created: created)
      entry.segments = try segments(of: object, in: "contents", madeBy: .source)
      entry.toolDefinitions = object.json("tools").given
      known = ["contents", "tools"]
    case "user":
      entry = Entry(.prompt, created: created)
      entry.segments = try segments(of: object, in: "contents", madeBy: .user)
      entry.options = object.json("options").given
      entry.responseFormat = object.json("responseFormat").given
      known = ["contents", "options", "responseFormat"]
    case "response" where object["toolCalls"] != nil:
      entry = Entry(.toolCalls, created: created)
      entry.toolCalls = try calls(of: object)
      known = ["toolCalls"]
    case "response":
      entry = Entry(.response, created: created)
      entry.segments = try segments(of: object, in: "contents", madeBy: .response)
      known = ["contents"]
    case "tool":
      entry = try output(
        of: object, answering: object.string("toolCallID"), segmentsIn: "contents",
        created: created)
      known = ["contents", "toolCallID", "toolName"]
    case "reasoning":
      entry = try reasoning(object, created: created)
      known = ["reasoning"]
    default: throw Unreadable(reason: "its role '\(role)' is not known")
    }
    for (key, value) in object.others(than: known + ["id", "role"]) where !value.isDefault {
      details.add(key, value)
    }
    identify(&entry, object)
    return entry
  }

  typealias Unreadable = RecordReader.Unreadable

  private mutating func identify(_ entry: inout Entry, _ object: JSONObject) {
    guard object["id"] != nil else { return }
    guard let id = object.string("id") else {
      if let other = object.json("id") { details.add("id", other) }
      return
    }
    if let uuid = UUID(text: id) { entry.id = uuid }
    // Apple rewrites the id of an output to the id of its call, so the call's id is the more stable key.
    entry.key = entry.kind == .toolOutput ? entry.callID ?? id : id
    if entry.key != id { details.add("id", .string(id)) }
  }

  func identifyWhole(_ entry: inout Entry, _ object: JSONObject) {
    guard let id = object.string("id") else { return }
    entry.key = id
    if let uuid = UUID(text: id) { entry.id = uuid }
  }
}

// MARK: - Kinds

extension AppleEntryReader {
  private mutating func calls(of object: JSONObject) throws(RecordReader.Unreadable)
    -> [Entry.ToolCall]
  {
    guard let elements = object.elements("toolCalls") else {
      throw .init(reason: "its 'toolCalls' are no array")
    }
    var calls: [Entry.ToolCall] = []
    var others: [Int: [(String, JSON)]] = [:]
    for (index, element) in elements.enumerated() {
      guard let call = JSONObject(element, in: bytes), let tool = call.string("name") else {
        throw .init(reason: "its tool call \(index + 1) has no name")
      }
      record.noteRepeated(call)
      let arguments = call.string("arguments")
      calls.append(
        Entry.ToolCall(
          // A call without an id gets one that is the same at every reading.
          id: call.string("id") ?? "call_\(index + 1)", tool: tool,
          arguments: arguments ?? call.json("arguments")?.text ?? ""))
      var rest = call.others(than: ["id", "name", "arguments"])
      // Arguments that are no string are kept as they are, for the export.
      if arguments == nil, let json = call.json("arguments") { rest.append(("arguments", json)) }
      if !rest.isEmpty { others[index] = rest }
    }
    details.add("toolCalls", others)
    return calls
  }

  private mutating func reasoning(_ object: JSONObject, created: Date?)
    throws(RecordReader.Unreadable) -> Entry
  {
    guard let inner = object.object("reasoning") else {
      throw .init(reason: "its 'reasoning' is no object")
    }
    record.noteRepeated(inner)
    var entry = Entry(.reasoning, created: created)
    entry.segments = try segments(of: inner, in: "contents", madeBy: .response)
    entry.signature = inner.string("signature")
    var known = ["contents"]
    if entry.signature != nil { known.append("signature") }
    let rest = inner.others(than: known)
    if !rest.isEmpty { details.add("reasoning", .object(rest)) }
    return entry
  }
}

// MARK: - Contents

extension AppleEntryReader {
  mutating func segment(
    _ range: Range<Int>, number: Int, madeBy maker: Entry.MadeBy, rest: inout [(String, JSON)]
  ) -> Entry.Segment {
    guard let object = JSONObject(range, in: bytes) else {
      record.remark("Content \(number) is kept as it is: it is no object.")
      return Entry.Segment(record.opaque(range, type: "content"))
    }
    record.noteRepeated(object)
    let type = object.string("type") ?? ""
    let content: Entry.Segment.Content?
    switch type {
    case "text": content = object["text"].flatMap { record.text($0) }.map { .text($0) }
    case "structure": content = structure(object, rest: &rest)
    case "image":
      content = object["image"].flatMap { image($0, label: nil, madeBy: maker) }
    case "attachment": content = attachment(object, madeBy: maker, rest: &rest)
    default: content = nil
    }
    let id = object.string("id")
    guard let content else {
      rest = []
      record.remark(
        Self.types.contains(type)
          ? "Content \(number) is kept as it is: it is no \(type) as it should be."
          : "Content \(number) is kept as it is: its type '\(type)' is not known.")
      return Entry.Segment(record.opaque(range, type: type.isEmpty ? "content" : type), id: id)
    }
    rest += object.others(than: ["type", type] + (id == nil ? [] : ["id"]))
    return Entry.Segment(content, id: id)
  }

  private static let types = ["text", "structure", "image", "attachment"]

  private func structure(_ object: JSONObject, rest: inout [(String, JSON)])
    -> Entry.Segment.Content?
  {
    guard let inner = object.object("structure"), let content = inner.json("content") else {
      return nil
    }
    let schema = inner.string("source")
    let others = inner.others(than: ["content"] + (schema == nil ? [] : ["source"]))
    if !others.isEmpty { rest.append(("structure", .object(others))) }
    return .structure(content, schema: schema)
  }

  private mutating func attachment(
    _ object: JSONObject, madeBy maker: Entry.MadeBy, rest: inout [(String, JSON)]
  ) -> Entry.Segment.Content? {
    guard let inner = object.object("attachment"), let data = inner["data"] else { return nil }
    let label = inner.string("label").flatMap { RecordReader.isLabel($0) ? $0 : nil }
    guard let content = image(data, label: label, madeBy: maker) else { return nil }
    var known = ["data"]
    if label != nil { known.append("label") }
    if inner.string("type") == "image" { known.append("type") }
    let others = inner.others(than: known)
    if !others.isEmpty { rest.append(("attachment", .object(others))) }
    return content
  }

  private mutating func image(_ range: Range<Int>, label: String?, madeBy maker: Entry.MadeBy)
    -> Entry.Segment.Content?
  {
    guard JSONText.kind(range, in: bytes) == .string, let url = DataURL(range, in: bytes) else {
      return nil
    }
    return record.attach(
      base64: url.payload, mediaType: url.mediaType, label: label, madeBy: maker)
  }
}

extension JSON? {
  /// The value, or nil where it is a default that says nothing.
  fileprivate var given: JSON? { self.flatMap { $0.isDefault ? nil : $0 } }
}
