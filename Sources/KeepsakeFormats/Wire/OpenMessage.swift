import Keepsake

/// A message that is being written, to which the next entry may add.
struct OpenMessage {
  var writer = RecordWriter()
  let role: String
  /// The kind of the entry that was added last.
  var last: Entry.Kind?

  /// - Parameters:
  ///   - role: Who says it.
  ///   - list: The key under which its pieces stand.
  init(role: String, list: StaticString) {
    self.role = role
    writer.json.beginObject()
    writer.member("role", role)
    writer.json.key(list)
    writer.json.beginArray()
  }

  func finished() -> OutgoingRecord {
    var writer = writer
    writer.json.endArray()
    writer.json.endObject()
    return writer.finish()
  }
}

extension WireFamily {
  /// What becomes of an entry in each of a service's messages.
  enum Fate {
    case leftOut
    /// It is a record of the service's own that was not understood, and is written as it stood.
    case verbatim(OutgoingRecord)
    case written
  }

  /// Decides what no service does in a way of its own, and counts what none of them has a place for.
  /// - Parameter omission: Why this service can't have the entry; nil where it can.
  func fate(of entry: OutgoingEntry, unless omission: Losses.Kind?, _ losses: inout Losses) -> Fate
  {
    if let omission = entry.omission ?? omission {
      losses.add(omission)
      return .leftOut
    }
    if entry.entry.kind == .unknown {
      if let record = OutgoingRecord(verbatim: entry, format: formats[0]) {
        return .verbatim(record)
      }
      losses.add(.foreign)
      return .leftOut
    }
    entry.countUnplaced(in: self, &losses)
    return .written
  }
}

extension ToolDefinition {
  /// The tools of a list, each as Chat Completions have it; nil where there are none.
  static func functions(_ tools: JSON, _ losses: inout Losses) -> JSON? {
    framed(tools, isOwn: { $0["function"]?.kind == .object }, &losses) { $0.function }
  }

  /// The tools of a list, each as a service has it.
  /// - Parameters:
  ///   - tools: In whichever frames.
  ///   - isOwn: Whether an element stands in the service's own frame already.
  ///   - frame: Puts a tool into that.
  ///   - losses: Is told of what is no tool with a name.
  /// - Returns: nil where there are none.
  static func framed(
    _ tools: JSON, isOwn: (JSON) -> Bool, _ losses: inout Losses,
    _ frame: (ToolDefinition) -> JSON
  ) -> JSON? {
    let frames = (tools.arrayValue ?? [tools]).flatMap { element -> [JSON?] in
      isOwn(element) ? [element] : list([element]).map { $0.map(frame) }
    }
    losses.add(.details, frames.count { $0 == nil })
    let known = frames.compactMap(\.self)
    return known.isEmpty ? nil : .array(known)
  }
}
