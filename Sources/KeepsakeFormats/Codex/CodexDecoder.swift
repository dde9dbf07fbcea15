#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads the lines of a Codex rollout in their order.
///
/// The items are the conversation. Events repeat most of it for the person at the terminal, so only an event that no
/// item repeats becomes an entry. The bytes of images that stand in an event once more are cut out.
struct CodexDecoder: LastingDecoder {
  static let format = CodexCodec.name
  static let edition = 2

  private var sessionID: String?
  /// Whether a header was read. A forked session's file has the parent's header after its own.
  private var hasHeader = false
  private var model: String?
  private var calls = KnownCalls()
  private var usage = CodexUsage()
  private var keys = KnownIDs()
  /// The number of entries that the lines so far became.
  private var count = 0
  /// The number of entries before each live prompt of a person. A rollback says only how many turns were taken back.
  private var prompts: [Int] = []

  var isPlausible: Bool {
    EntryCount.range.contains(count) && prompts.allSatisfy(EntryCount.range.contains)
  }

  var facts: SourceFacts { SourceFacts(id: sessionID) }

  mutating func entries(of record: inout RecordReader, at value: Range<Int>) -> [SourceEntry] {
    guard let object = JSONObject(value, in: record.bytes) else {
      record.remark("The line is kept as it is: it is no object.")
      return []
    }
    let line = CodexLine(object)
    let entries = entries(of: line, at: value, &record)
    EmbeddedBase64.cut(value, from: &record)
    for (index, entry) in entries.enumerated() where Self.beginsTurn(entry.entry) {
      prompts.append(count + index)
    }
    count += entries.count
    return entries.map { line.timed($0) }
  }

  private mutating func entries(
    of line: CodexLine, at value: Range<Int>, _ record: inout RecordReader
  ) -> [SourceEntry] {
    guard let place = line.object["payload"] else {
      return bareEntries(of: line, at: value, &record)
    }
    record.noteRepeated(line.object)
    guard let payload = JSONObject(place, in: record.bytes) else {
      record.remark("The line is kept as it is: its 'payload' is no object.")
      return []
    }
    switch line.object.string("type") {
    case "session_meta": return header(payload, &record)
    case "response_item": return item(payload, at: place, &record)
    case "event_msg": return event(payload, &record)
    case "compacted": return compacted(payload, &record)
    case "turn_context":
      model = payload.string("model") ?? model
      return []
    default: return []
    }
  }

  /// Reads a line without an envelope, as older versions wrote it: the header, an item, or a state that becomes no
  /// entry.
  private mutating func bareEntries(
    of line: CodexLine, at value: Range<Int>, _ record: inout RecordReader
  ) -> [SourceEntry] {
    if line.object["type"] != nil { return item(line.object, at: value, &record) }
    if line.object["id"] != nil, line.object["timestamp"] != nil {
      return header(line.object, &record)
    }
    return []
  }
}

// MARK: - What the lines say

extension CodexDecoder {
  private mutating func header(_ payload: JSONObject, _ record: inout RecordReader)
    -> [SourceEntry]
  {
    guard !hasHeader else { return [] }
    hasHeader = true
    sessionID = payload.name("id")
    if payload.kind("history_base") == .object { usage.beginsElsewhere() }
    let place = payload.object("base_instructions")?["text"] ?? payload["instructions"]
    guard let text = place.flatMap({ record.text($0) }), !text.isEmpty else { return [] }
    var entry = Entry.instructions(text)
    entry.visibility = .model
    entry.toolDefinitions = payload.json("dynamic_tools").flatMap { $0.isDefault ? nil : $0 }
    var details = ForeignDetails()
    for (key, value) in payload.others(than: [
      "id", "base_instructions", "instructions", "dynamic_tools",
    ]) where !value.isDefault {
      details.add(key, value)
    }
    entry.metadata = details.metadata(format: Self.format)
    return [record.finish(entry)]
  }

  private mutating func item(
    _ item: JSONObject, at value: Range<Int>, _ record: inout RecordReader
  ) -> [SourceEntry] {
    // A snapshot of the project's files is made for going back to it, and is no part of the conversation.
    if item.string("type") == "ghost_snapshot" { return [] }
    var reader = ResponsesItem(item, record, calls)
    var entries: [SourceEntry]
    do throws(RecordReader.Unreadable) {
      entries = try reader.entries()
      guard reader.record.fits(value) else {
        throw RecordReader.Unreadable(reason: "it is too large for an entry")
      }
      record = reader.record
      calls = reader.calls
    } catch {
      entries = [whole(item, at: value, &record, because: error)]
    }
    for index in entries.indices where Self.isForModel(entries[index].entry) {
      entries[index].entry.visibility = .model
    }
    for index in entries.indices where Self.kindsOfModel.contains(entries[index].entry.kind) {
      entries[index].entry.model = model
    }
    if let key = item.name("id"), !entries.isEmpty, keys.insert(key) {
      entries[0].entry.key = key
    }
    return entries
  }

  /// Returns whether the program addressed an entry to the model, and no person wrote it.
  private static func isForModel(_ entry: Entry) -> Bool {
    entry.kind == .instructions || entry.kind == .prompt && CodexScaffolding.isAll(of: entry)
  }

  private static let kindsOfModel: Set<Entry.Kind> = [.reasoning, .toolCalls, .response]

  /// Keeps an item as opaque because it could not be understood.
  private func whole(
    _ item: JSONObject, at value: Range<Int>, _ record: inout RecordReader,
    because error: RecordReader.Unreadable
  ) -> SourceEntry {
    let type = item.string("type") ?? ""
    record.remark("The item '\(type)' is kept as it is, and not understood: \(error.reason).")
    let content = record.opaque(value, type: type.isEmpty ? "item" : type)
    return record.finish(Entry(.unknown, segments: [Entry.Segment(content)]))
  }

  private func compacted(_ payload: JSONObject, _ record: inout RecordReader) -> [SourceEntry] {
    var entry = Entry.event("Conversation compacted.")
    entry.visibility = .model
    if let message = payload["message"].flatMap({ record.text($0) }), !message.isEmpty {
      entry.segments.append(.text(message))
    }
    return [record.finish(entry)]
  }

  private mutating func event(_ payload: JSONObject, _ record: inout RecordReader)
    -> [SourceEntry]
  {
    var entry: Entry
    switch payload.string("type") {
    case "token_count":
      guard let added = payload.object("info").flatMap({ usage.added(by: $0) }) else { return [] }
      entry = Entry(.event)
      entry.usage = added
      entry.model = model
    case "error", "stream_error", "warning":
      guard let text = payload["message"].flatMap({ record.text($0) }), !text.isEmpty else {
        return []
      }
      entry = .event(text)
    case "turn_aborted":
      let reason = payload.string("reason").map { ": \($0)" } ?? ""
      entry = .event("The turn was aborted\(reason).")
    case "thread_rolled_back":
      return [rollback(payload, &record)]
    default: return []
    }
    entry.visibility = .person
    return [record.finish(entry)]
  }

  /// Records that the person took back the newest turns. Entries before the first prompt are never taken back.
  private mutating func rollback(_ payload: JSONObject, _ record: inout RecordReader)
    -> SourceEntry
  {
    let number = payload.json("num_turns")?.intValue
    let turns = number.map { " (turns: \($0))" } ?? ""
    var event = record.finish(.event("The last of the conversation was taken back\(turns)."))
    event.entry.visibility = .person
    guard let number, number > 0, !prompts.isEmpty else { return event }
    let first = prompts[prompts.count - Int(min(number, Int64(prompts.count)))]
    prompts.removeAll { $0 >= first }
    event.continuesAfter = first - 1
    return event
  }

  private static func beginsTurn(_ entry: Entry) -> Bool {
    entry.kind == .prompt && entry.visibility != .model
  }
}
