#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads one entry of an AnyLanguageModel transcript: an object whose only key is its kind.
struct AnyLanguageModelEntryReader: TranscriptEntryReader {
  static let format = AnyLanguageModelCodec.name

  var record: RecordReader
  var details = ForeignDetails()
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    record = RecordReader(bytes, format: AnyLanguageModelCodec.name)
  }

  mutating func understood(_ range: Range<Int>, created: Date?)
    throws(RecordReader.Unreadable) -> Entry
  {
    guard let outer = JSONObject(range, in: bytes), outer.members.count == 1,
      let kind = outer.members.first?.key, let object = outer.object(kind)?.object("_0")
    else { throw .init(reason: "an object with its kind as the only key was expected") }
    record.noteRepeated(object)
    var entry: Entry
    let known: [String]
    switch kind {
    case "instructions":
      entry = Entry(.instructions, created: created)
      entry.segments = try segments(of: object, in: "segments", madeBy: .source)
      entry.toolDefinitions = object.json("toolDefinitions").flatMap { $0.isDefault ? nil : $0 }
      known = ["segments", "toolDefinitions"]
    case "prompt":
      entry = Entry(.prompt, created: created)
      entry.segments = try segments(of: object, in: "segments", madeBy: .user)
      entry.options = object.json("options").flatMap { $0.isDefault ? nil : $0 }
      entry.responseFormat = object.json("responseFormat").flatMap { $0.isDefault ? nil : $0 }
      known = ["segments", "options", "responseFormat"]
    case "toolCalls":
      entry = Entry(.toolCalls, created: created)
      entry.toolCalls = try calls(of: object)
      known = ["calls"]
    case "toolOutput":
      // The transcript gives an output the id of its call.
      entry = try output(
        of: object, answering: object.string("id"), segmentsIn: "segments", created: created)
      known = ["segments", "toolName"]
    case "response":
      entry = Entry(.response, created: created)
      entry.segments = try segments(of: object, in: "segments", madeBy: .response)
      known = ["segments"]
    default: throw .init(reason: "its kind '\(kind)' is not known")
    }
    identify(&entry, object)
    let ids = entry.key == nil ? [] : ["id"]
    for (key, value) in object.others(than: known + ids) where !value.isDefault {
      details.add(key, value)
    }
    return entry
  }

  private func identify(_ entry: inout Entry, _ object: JSONObject) {
    entry.key = object.string("id")
    if let uuid = entry.key.flatMap({ UUID(text: $0) }) { entry.id = uuid }
  }
}

// MARK: - Content

extension AnyLanguageModelEntryReader {
  private mutating func calls(of object: JSONObject) throws(RecordReader.Unreadable)
    -> [Entry.ToolCall]
  {
    guard let elements = object.elements("calls") else {
      throw .init(reason: "its 'calls' are no array")
    }
    var calls: [Entry.ToolCall] = []
    var others: [Int: [(String, JSON)]] = [:]
    for (index, element) in elements.enumerated() {
      guard let call = JSONObject(element, in: bytes), let tool = call.string("toolName"),
        let raw = call.json("arguments"), let arguments = GeneratedContent.value(of: raw)
      else { throw .init(reason: "its tool call \(index + 1) has no name or no arguments") }
      calls.append(
        Entry.ToolCall(
          id: call.string("id") ?? "call_\(index + 1)", tool: tool, arguments: arguments.text))
      var rest = call.others(than: ["id", "toolName", "arguments"])
      if !GeneratedContent.isPlain(raw, arguments) { rest.append(("arguments", raw)) }
      if !rest.isEmpty { others[index] = rest }
    }
    details.add("calls", others)
    return calls
  }

  mutating func segment(
    _ range: Range<Int>, number: Int, madeBy maker: Entry.MadeBy, rest: inout [(String, JSON)]
  ) -> Entry.Segment {
    let outer = JSONObject(range, in: bytes)
    let type = outer?.members.first?.key ?? ""
    if outer?.members.count == 1, let object = outer?.object(type)?.object("_0") {
      record.noteRepeated(object)
      let id = object.string("id")
      let content: Entry.Segment.Content?
      let known: [String]
      switch type {
      case "text":
        content = object["content"].flatMap { record.text($0) }.map { .text($0) }
        known = ["content"]
      case "structure":
        content = structure(object, rest: &rest)
        known = ["content"] + (object.string("source") == nil ? [] : ["source"])
      case "image":
        content = image(object, madeBy: maker, rest: &rest)
        known = ["source"]
      default:
        content = nil
        known = []
      }
      if let content {
        rest += object.others(than: known + (id == nil ? [] : ["id"]))
        return Entry.Segment(content, id: id)
      }
    }
    rest = []
    record.remark("Content \(number) is kept as it is: it is nothing that is known here.")
    return Entry.Segment(record.opaque(range, type: type.isEmpty ? "segment" : type))
  }

  private func structure(_ object: JSONObject, rest: inout [(String, JSON)])
    -> Entry.Segment.Content?
  {
    guard let raw = object.json("content"), let value = GeneratedContent.value(of: raw) else {
      return nil
    }
    if !GeneratedContent.isPlain(raw, value) { rest.append(("content", raw)) }
    return .structure(value, schema: object.string("source"))
  }

  private mutating func image(
    _ object: JSONObject, madeBy maker: Entry.MadeBy, rest: inout [(String, JSON)]
  ) -> Entry.Segment.Content? {
    guard let source = object.object("source") else { return nil }
    let kind = source.string("kind")
    let content: Entry.Segment.Content?
    let known: [String]
    switch kind {
    case "data":
      guard let data = source["data"], source.kind("data") == .string else { return nil }
      content = record.attach(
        base64: (data.lowerBound + 1)..<(data.upperBound - 1),
        mediaType: source.string("mimeType").map { MediaType($0) }, label: nil, madeBy: maker)
      known = ["kind", "data", "mimeType"]
    case "url":
      guard let range = source["url"], let url = source.string("url") else { return nil }
      if let data = DataURL(range, in: bytes) {
        content = record.attach(
          base64: data.payload, mediaType: data.mediaType, label: nil, madeBy: maker)
      } else {
        content = record.attach(remote: url, madeBy: maker)
      }
      known = ["kind", "url"]
    default: return nil
    }
    let others = source.others(than: known)
    if content != nil, !others.isEmpty { rest.append(("source", .object(others))) }
    return content
  }
}
