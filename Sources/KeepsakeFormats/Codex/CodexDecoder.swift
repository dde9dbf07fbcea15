#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads the lines of a Codex rollout.
///
/// What the model was sent and what it answered stands in response items. Events say most of it once more, for the
/// program's own display: of them only what stands nowhere else becomes an entry.
struct CodexDecoder: RecordDecoder {
  static let format = CodexCodec.name

  private var items = ResponsesItems()
  private var sessionID: String?
  private var model: String?
  /// What the session took so far, as the last count says.
  private var taken = Usage(input: 0, cachedInput: 0, output: 0, reasoning: 0)

  var facts: SourceFacts { SourceFacts(id: sessionID) }

  mutating func entries(of record: inout RecordReader, at value: Range<Int>) -> [SourceEntry] {
    guard let line = JSONObject(value, in: record.bytes), let payload = line.object("payload"),
      let place = line["payload"]
    else {
      record.remark("The line has no payload; it is kept as it is.")
      return []
    }
    var entries: [SourceEntry] = []
    switch line.string("type") {
    case "session_meta": entries = session(payload, in: &record)
    case "response_item": entries = items.entries(payload, at: place, in: &record)
    case "event_msg": entries = event(payload, at: place, in: &record)
    case "compacted": entries = compaction(payload, at: place, in: &record)
    case "turn_context": model = payload.string("model") ?? model
    default: EmbeddedBase64.cut(place, from: &record)
    }
    let created = line.string("timestamp").flatMap(RFC3339.microseconds)
      .map { Date(microseconds: $0) }
    for index in entries.indices {
      entries[index].entry.created = created
      if [.response, .reasoning, .toolCalls].contains(entries[index].entry.kind) {
        entries[index].entry.model = model
      }
    }
    return entries
  }

  /// The first one is the file's; another one came with what was copied from the session that it was forked from.
  private mutating func session(_ payload: JSONObject, in record: inout RecordReader)
    -> [SourceEntry]
  {
    guard sessionID == nil else { return [] }
    sessionID = payload.string("id") ?? payload.string("session_id")
    let text = payload.object("base_instructions")?["text"] ?? payload["instructions"]
    guard let instructions = text.flatMap({ record.text($0) }), !instructions.isEmpty else {
      return []
    }
    return [
      record.finish(Entry(.instructions, segments: [.text(instructions)], created: nil))
    ]
  }

  /// From here on the model was given less of what stands before; whoever reads still has all of it.
  private func compaction(
    _ payload: JSONObject, at place: Range<Int>, in record: inout RecordReader
  ) -> [SourceEntry] {
    EmbeddedBase64.cut(place, from: &record)
    var entry = Entry(.event, segments: [.text("Conversation compacted")], created: nil)
    if let summary = payload["message"].flatMap({ record.text($0) }), !summary.isEmpty {
      entry.segments.append(.text(summary))
    }
    entry.visibility = .person
    entry.tags = ["compaction"]
    return [record.finish(entry)]
  }
}

// MARK: - Events

extension CodexDecoder {
  /// Events that tell the person something that no item says.
  private static let told: Set<String> = [
    "error", "stream_error", "warning", "turn_aborted", "deprecation_notice",
  ]

  private mutating func event(
    _ payload: JSONObject, at place: Range<Int>, in record: inout RecordReader
  ) -> [SourceEntry] {
    let type = payload.string("type") ?? ""
    if type == "token_count" { return count(payload, in: &record) }
    // Images stand in here once more.
    EmbeddedBase64.cut(place, from: &record)
    guard Self.told.contains(type) else { return [] }
    let text =
      payload.string("message") ?? payload.string("reason") ?? payload.string("summary") ?? type
    var entry = Entry(.event, segments: [.text(text)], created: nil)
    entry.visibility = .person
    entry.tags = [type]
    return [record.finish(entry)]
  }

  /// The counts go on over the whole session, and come again; what is new is the difference.
  private mutating func count(_ payload: JSONObject, in record: inout RecordReader)
    -> [SourceEntry]
  {
    guard let info = payload.object("info"), let total = info.json("total_token_usage") else {
      return []
    }
    let now = Usage(reported: total)
    let before = taken
    taken = now
    func added(_ path: KeyPath<Usage, Int?>) -> Int {
      // A session that was resumed may count anew.
      let (new, old) = (now[keyPath: path] ?? 0, before[keyPath: path] ?? 0)
      return new < old ? new : new - old
    }
    let usage = Usage(
      input: added(\.input), cachedInput: added(\.cachedInput), output: added(\.output),
      reasoning: added(\.reasoning), source: total)
    guard (usage.input ?? 0) + (usage.output ?? 0) > 0 else { return [] }
    var entry = Entry(.event, created: nil)
    entry.visibility = .person
    entry.tags = ["token_count"]
    entry.usage = usage
    entry.model = model
    return [record.finish(entry)]
  }
}
