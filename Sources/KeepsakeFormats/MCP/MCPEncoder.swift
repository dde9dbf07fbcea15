import Keepsake

/// Writes the calls of a session and their results as messages of the protocol, which has no place for other entries.
struct MCPEncoder: RecordEncoder {
  static let family = WireFamily(MCPCodec.name)

  /// Whether the entry that was written last held calls.
  private var endsWithCalls = false

  mutating func records(with entry: OutgoingEntry, _ losses: inout Losses) -> [OutgoingRecord] {
    guard case .written = Self.family.fate(of: entry, unless: Self.omission(entry.entry), &losses)
    else { return [] }
    let isCall = entry.entry.kind == .toolCalls
    if isCall, endsWithCalls { losses.add(.grouping) }
    endsWithCalls = isCall
    if let id = entry.entry.callID { return [result(entry, of: id, &losses)] }
    losses.add(.loose, entry.loose.count)
    return entry.entry.toolCalls.map { call($0, &losses) }
  }

  /// The reason why the protocol can't hold an entry; nil where it can.
  private static func omission(_ entry: Entry) -> Losses.Kind? {
    switch entry.kind {
    case .toolCalls: nil
    case .toolOutput: entry.callID == nil ? .withoutCall : nil
    default: .conversation
    }
  }

  func rest() -> [OutgoingRecord] { [] }

  func suffix() -> OutgoingRecord { OutgoingRecord(bytes: Array("]".utf8)) }

  private func begun(_ id: String) -> RecordWriter {
    var writer = RecordWriter()
    writer.json.beginObject()
    writer.member("jsonrpc", "2.0")
    writer.member("id", id)
    return writer
  }

  private func call(_ call: Entry.ToolCall, _ losses: inout Losses) -> OutgoingRecord {
    var writer = begun(call.id)
    writer.member("method", "tools/call")
    writer.json.key("params")
    writer.json.beginObject()
    writer.member("name", call.tool)
    writer.member("arguments", call.argumentsObject(&losses))
    writer.json.endObject()
    writer.json.endObject()
    return writer.finish()
  }

  private func result(_ entry: OutgoingEntry, of id: String, _ losses: inout Losses)
    -> OutgoingRecord
  {
    let details = Self.family.details(of: entry.entry)
    var writer = begun(id)
    let segments = entry.entry.segments
    if details["error"] != nil, case .structure(let json, _)? = segments.first?.content {
      writer.member("error", json)
      writer.json.endObject()
      return writer.finish()
    }
    writer.json.key("result")
    writer.json.beginObject()
    writer.json.key("content")
    writer.json.beginArray()
    // Structured content in the last segment becomes the result's `structuredContent`.
    var structured = details["structuredContent"]
    var parts = entry.parts(of: Self.family, &losses)
    if structured == nil, case .structure(let json, _)? = segments.last?.content {
      structured = json
      parts.removeLast()
      losses.remove(.structures)
    }
    let others = details.elements("content")
    for (index, part) in parts {
      MCPPart(part, index.flatMap { others[$0] } ?? []).write(to: &writer, &losses)
    }
    writer.json.endArray()
    writer.member("structuredContent", structured)
    writer.members(details.members.filter { !Self.taken.contains($0.key) })
    writer.json.endObject()
    writer.json.endObject()
    return writer.finish()
  }

  /// Details that are written in another place of the result.
  private static let taken: Set<String> = ["content", "structuredContent", "error"]
}
