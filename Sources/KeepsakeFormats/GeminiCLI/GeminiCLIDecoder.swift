#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeFiles

/// Reads the records of a Gemini CLI session.
///
/// The program writes a message again under its id when it knows more of it, mostly the calls that the message led
/// to. Only what is new in the repeated message becomes entries.
struct GeminiCLIDecoder: LastingDecoder {
  static let format = GeminiCLICodec.name
  static let edition = 3

  private var sessionID: String?
  private var messages: [String: Said] = [:]
  /// The calls among the parts of messages, in the form of Google's service.
  private var calls = GeminiCalls()
  /// The number of entries that the records so far became.
  private var count = 0
  /// The number of messages so far. A message that was taken back and came again counts twice.
  private var places = 0

  /// The part of a message that was read so far.
  private struct Said: Codable {
    /// The message's number in the order of arrival; nil for a message that was taken back.
    var place: Int?
    /// The number of entries before the message.
    var start = 0
    /// Whether the message is the person's or the model's, and not the program's.
    var isSaid = false
    /// The SHA-256 of the message's content, in hex.
    var content: String?
    var thoughts = 0
    var calls: Set<String> = []
    var entries = 0
    var hasUsage = false
  }

  var isPlausible: Bool {
    EntryCount.range.contains(count) && EntryCount.range.contains(places)
      && messages.values.allSatisfy { said in
        [said.start, said.entries, said.thoughts, said.place ?? 0].allSatisfy(
          EntryCount.range.contains)
      }
  }

  var facts: SourceFacts { SourceFacts(id: sessionID) }

  mutating func entries(of record: inout RecordReader, at value: Range<Int>) -> [SourceEntry] {
    let before = count
    let entries = said(in: &record, at: value)
    count = before + entries.count
    return entries
  }

  private mutating func said(in record: inout RecordReader, at value: Range<Int>) -> [SourceEntry] {
    guard let line = JSONObject(value, in: record.bytes) else {
      record.remark("The record is no object; it is kept as it is.")
      return []
    }
    if line["sessionId"] != nil, line["type"] == nil {
      sessionID = sessionID ?? line.string("sessionId")
      return []
    }
    if let change = line.object("$set") {
      let messages = (change.elements("messages") ?? []).compactMap {
        JSONObject($0, in: record.bytes)
      }
      var entries: [SourceEntry] = []
      if change["messages"] != nil, let event = goingBack(to: messages) { entries.append(event) }
      let before = count
      for message in messages {
        count = before + entries.count
        entries += self.message(message, at: value, in: &record)
      }
      return entries
    }
    if line["$rewindTo"] != nil {
      let message = line.string("$rewindTo").flatMap { messages[$0] }
      return [goingBack(to: message?.place == nil ? nil : message)]
    }
    guard line["type"] != nil else {
      EmbeddedBase64.cut(value, from: &record)
      return []
    }
    return message(line, at: value, in: &record)
  }

  private mutating func message(
    _ line: JSONObject, at value: Range<Int>, in record: inout RecordReader
  ) -> [SourceEntry] {
    let id = line.string("id")
    var said = id.flatMap { messages[$0] } ?? Said()
    if said.place == nil {
      said.place = places
      said.start = count
      places += 1
    }
    let type = line.string("type") ?? ""
    said.isSaid = Self.saying.contains(type)
    var entries: [SourceEntry] = []
    switch type {
    case "user" where saysCalls(line), "gemini" where saysCalls(line):
      if let content = new(line, &said) {
        entries += contents(content, role: type == "user" ? "user" : "model", in: &record)
      }
      if type == "gemini" { complete(&entries, line, &said) }
    case "user":
      if let content = new(line, &said) {
        entries.append(entry(.prompt, content, madeBy: .user, in: &record))
      }
    case "gemini":
      entries += thoughts(line, &said, in: &record)
      if let content = new(line, &said) {
        let entry = entry(.response, content, madeBy: .response, in: &record)
        if !entry.entry.segments.isEmpty { entries.append(entry) }
      }
      entries += calls(line, &said, in: &record)
      complete(&entries, line, &said)
    case "info", "error", "warning":
      if let content = new(line, &said) {
        var told = entry(.event, content, madeBy: .source, in: &record)
        told.entry.visibility = .person
        told.entry.tags = [type]
        entries.append(told)
      }
    default:
      record.remark("Messages of the type '\(type)' are not known here; this one is kept as it is.")
    }
    // The record repeats bytes that are stored already, so all base64 in it is cut out.
    for member in line.members { EmbeddedBase64.cut(member.value, from: &record) }
    if !record.fits(value) {
      let reason = "The message is too large for an entry; it is kept as it is."
      entries = [record.whole(value, type: "message", because: reason)]
    }
    identify(&entries, line, id, &said)
    if let id { messages[id] = said }
    return entries
  }

  /// Takes back a message and all later ones, or all messages where the message is nil.
  private mutating func goingBack(to message: Said?) -> SourceEntry {
    let place = message?.place ?? 0
    for (id, said) in messages where said.place.map({ $0 >= place }) ?? false {
      // A message that comes again after this is read anew from its beginning.
      var taken = Said()
      taken.entries = said.entries
      taken.hasUsage = said.hasUsage
      messages[id] = taken
    }
    return .goingBack(after: (message?.start ?? 0) - 1, "Went back in the conversation")
  }

  /// Takes back the messages after those that a record sets as all messages of the conversation.
  ///
  /// Returns nil where the set messages are not a shorter beginning of the live ones: then nothing is taken back.
  private mutating func goingBack(to kept: [JSONObject]) -> SourceEntry? {
    let live = messages.filter { $0.value.place != nil && $0.value.isSaid }
      .sorted { ($0.value.place ?? 0) < ($1.value.place ?? 0) }
    let kept = kept.filter { $0.string("type").map(Self.saying.contains) ?? false }
    guard kept.count < live.count,
      zip(kept, live).allSatisfy({ $0.string("id") == $1.key })
    else { return nil }
    return goingBack(to: live[kept.count].value)
  }

  /// The types of messages that are the person's or the model's.
  private static let saying: Set<String> = ["user", "gemini"]

  /// Returns whether calls or outputs stand among a message's parts, and not in its `toolCalls`.
  private func saysCalls(_ line: JSONObject) -> Bool {
    (line.elements("content") ?? []).contains { part in
      JSONObject(part, in: line.bytes).map {
        GeminiParts.member($0, "functionCall") != nil
          || GeminiParts.member($0, "functionResponse") != nil
      } ?? false
    }
  }

  private mutating func contents(
    _ content: Range<Int>, role: String, in record: inout RecordReader
  ) -> [SourceEntry] {
    var reader = GeminiContent(role: role, calls)
    for part in JSONText.elements(content, in: record.bytes) ?? [] {
      reader.read(part, in: &record)
    }
    reader.end(in: &record)
    calls = reader.calls
    return reader.entries
  }

  /// The range of a message's content; nil where the same content was read before.
  private func new(_ line: JSONObject, _ said: inout Said) -> Range<Int>? {
    guard let content = line["content"] else { return nil }
    let digest = SHA256.digest(of: line.bytes.span.bytes.extracting(content)).hex
    if said.content == digest { return nil }
    said.content = digest
    return content
  }

  private func entry(
    _ kind: Entry.Kind, _ content: Range<Int>, madeBy maker: Entry.MadeBy,
    in record: inout RecordReader
  ) -> SourceEntry {
    var entry = Entry(kind, created: nil)
    entry.segments = GeminiParts.segments(content, madeBy: maker, in: &record)
    return record.finish(entry)
  }

  private func thoughts(_ line: JSONObject, _ said: inout Said, in record: inout RecordReader)
    -> [SourceEntry]
  {
    let all = line.elements("thoughts") ?? []
    let new = all.dropFirst(said.thoughts)
    said.thoughts = max(said.thoughts, all.count)
    return new.compactMap { thought in
      guard let object = JSONObject(thought, in: record.bytes) else { return nil }
      let words = ["subject", "description"].compactMap { object.string($0) }
      return record.finish(
        Entry(.reasoning, segments: [.text(words.joined(separator: "\n"))], created: nil))
    }
  }

  /// Adds the calls that a message led to, and their outputs.
  private func calls(_ line: JSONObject, _ said: inout Said, in record: inout RecordReader)
    -> [SourceEntry]
  {
    var new: [(call: Entry.ToolCall, object: JSONObject)] = []
    for (index, element) in (line.elements("toolCalls") ?? []).enumerated() {
      guard let object = JSONObject(element, in: record.bytes) else { continue }
      let id = object.string("id") ?? "\(line.string("id") ?? "call")/\(index + 1)"
      guard said.calls.insert(id).inserted else { continue }
      let call = Entry.ToolCall(
        id: id, tool: object.string("name") ?? "", arguments: object.json("args")?.text ?? "{}")
      new.append((call, object))
    }
    if new.isEmpty { return [] }
    let calls = record.finish(Entry(.toolCalls, toolCalls: new.map(\.call), created: nil))
    return [calls] + new.compactMap { call, object in output(of: call, object, in: &record) }
  }

  private func output(
    of call: Entry.ToolCall, _ object: JSONObject, in record: inout RecordReader
  ) -> SourceEntry? {
    guard let result = object["result"], object.kind("result") != .null else { return nil }
    var entry = Entry.toolOutput(callID: call.id, tool: call.tool, segments: [])
    entry.created = nil
    let maker = Entry.MadeBy.toolCall(call)
    for part in JSONText.elements(result, in: record.bytes) ?? [result] {
      let answer = JSONObject(part, in: record.bytes).flatMap {
        GeminiParts.member($0, "functionResponse")
      }.flatMap { JSONObject($0, in: record.bytes) }
      guard let answer else {
        entry.segments += GeminiParts.segments(part, madeBy: maker, in: &record)
        continue
      }
      entry.segments += GeminiParts.returned(answer, madeBy: maker, in: &record)
    }
    return record.finish(entry)
  }

  private func complete(_ entries: inout [SourceEntry], _ line: JSONObject, _ said: inout Said) {
    let model = line.string("model")
    for index in entries.indices where entries[index].entry.kind != .toolOutput {
      entries[index].entry.model = model
    }
    guard !said.hasUsage, let tokens = line.json("tokens"), !tokens.isNull,
      let last = entries.lastIndex(where: { $0.entry.kind != .toolOutput })
    else { return }
    entries[last].entry.usage = Usage(reported: tokens)
    said.hasUsage = true
  }

  private func identify(
    _ entries: inout [SourceEntry], _ line: JSONObject, _ id: String?, _ said: inout Said
  ) {
    let created = line.time("timestamp")
    for index in entries.indices {
      said.entries += 1
      entries[index].entry.created = created
      entries[index].entry.key = id.map { said.entries == 1 ? $0 : "\($0)#\(said.entries)" }
    }
  }
}
