import Keepsake

/// A message that is being written, to which the next entry may be added.
struct OpenMessage {
  var writer = RecordWriter()
  let role: String
  /// The kind of the entry that was added last.
  var last: Entry.Kind?

  /// - Parameters:
  ///   - role: The role of the message.
  ///   - list: The key of the list with the message's pieces.
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
  /// The way in which an entry goes into a service's messages.
  enum Fate {
    /// The entry is left out.
    case leftOut
    /// The entry is a record of the service's own format that was not understood, and is written as it stood.
    case verbatim(OutgoingRecord)
    /// The entry is written as a message.
    case written
  }

  /// Decides whether an entry is written, by the rules that all services share, and counts what none of them can
  /// hold.
  /// - Parameters:
  ///   - entry: The entry.
  ///   - omission: The reason why this service can't hold the entry; nil where it can.
  ///   - losses: Counts what is left out.
  /// - Returns: The way in which the entry is written.
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
  /// Converts descriptions of tools to the form of Chat Completions; nil where there are none.
  static func functions(_ tools: JSON, _ losses: inout Losses) -> JSON? {
    framed(tools, isOwn: { $0["function"]?.kind == .object }, &losses) { $0.function }
  }

  /// Converts descriptions of tools to the form of a service.
  /// - Parameters:
  ///   - tools: The descriptions, in any form.
  ///   - isOwn: Says whether a description has the service's form already.
  ///   - losses: Counts descriptions that name no tool.
  ///   - frame: Converts a tool to the service's form.
  /// - Returns: The converted descriptions; nil where there are none.
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
