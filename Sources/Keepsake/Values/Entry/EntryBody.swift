import KeepsakeFiles

/// Encodes and decodes an entry's content as the database holds it: minified JSON with its version first.
///
/// Foreign JSON stands in a body exactly as it was written.
enum EntryBody {
  static let version: Int64 = 1

  static func encode(_ entry: Entry) -> [UInt8] {
    var size = 128
    for segment in entry.segments { size += segment.sizeHint }
    for call in entry.toolCalls { size += call.arguments.utf8.count + 128 }
    var writer = JSONWriter(reserving: size)
    writer.beginObject()
    writer.key("v")
    writer.int(version)
    if !entry.segments.isEmpty {
      writer.key("segments")
      writer.beginArray()
      for segment in entry.segments { write(segment, to: &writer) }
      writer.endArray()
    }
    if !entry.toolCalls.isEmpty {
      writer.key("toolCalls")
      writer.beginArray()
      for call in entry.toolCalls { write(call, to: &writer) }
      writer.endArray()
    }
    writer.member("callID", entry.callID)
    writer.member("tool", entry.tool)
    if let rare = entry.rare?.value { write(rare, to: &writer) }
    writer.endObject()
    return writer.bytes
  }

  /// Writes a segment; unless it is for the database, a text of any size is written in full.
  static func write(
    _ segment: Entry.Segment, to writer: inout JSONWriter, isStored: Bool = true
  ) {
    writer.beginObject()
    writer.member("id", segment.id)
    switch segment.content {
    case .text(let text):
      if isStored, text.utf8.count > LargeText.limit {
        writer.key("textArtifact")
        writer.string(LargeText.id(of: text).description)
      } else {
        writer.key("text")
        writer.string(text)
      }
    case .structure(let json, let schema):
      writer.member("schema", schema)
      writer.key("structure")
      writer.raw(json)
    case .attachment(let index):
      writer.key("attachment")
      writer.int(Int64(index))
    case .opaque(let json, let type):
      writer.key("type")
      writer.string(type)
      writer.key("opaque")
      writer.raw(json)
    }
    writer.endObject()
  }

  static func write(_ call: Entry.ToolCall, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("id")
    writer.string(call.id)
    writer.key("tool")
    writer.string(call.tool)
    writer.key("arguments")
    writer.string(call.arguments)
    writer.endObject()
  }

  /// Writes the values that have no column of their own.
  static func write(_ rare: Entry.Rare, to writer: inout JSONWriter) {
    if !rare.tags.isEmpty {
      writer.key("tags")
      writer.beginArray()
      for tag in rare.tags { writer.string(tag) }
      writer.endArray()
    }
    writer.member("metadata", rare.metadata)
    writer.member("options", rare.options)
    writer.member("responseFormat", rare.responseFormat)
    writer.member("toolDefinitions", rare.toolDefinitions)
    writer.member("usage", rare.usage)
    writer.member("timing", rare.timing)
    writer.member("signature", rare.signature)
    writer.member("foreignTime", rare.foreignTime)
    writer.member("continuesAfter", rare.continuesAfter)
  }
}

extension EntryBody {
  /// Fills an entry from a body in SQLite's memory.
  ///
  /// - Parameters:
  ///   - bytes: The body.
  ///   - entry: The entry to fill.
  /// - Returns: Whether the body names texts that are kept as artifacts, which are still to be resolved.
  @discardableResult
  static func decode(_ bytes: RawSpan, into entry: inout Entry) throws -> Bool {
    var scratch: [UInt8] = []
    return try decode(bytes, into: &entry, scratch: &scratch)
  }

  /// Fills an entry from a body like ``decode(_:into:)``, with a buffer that the bodies of one read share.
  static func decode(_ bytes: RawSpan, into entry: inout Entry, scratch: inout [UInt8]) throws
    -> Bool
  {
    if let segments = plainSegments(bytes, scratch: &scratch) {
      entry.segments = segments
      return false
    }
    var hasLargeTexts = false
    var reader = JSONReader(bytes, scratch: scratch)
    scratch = []
    defer { scratch = reader.takeScratch() }
    try reader.beginObject()
    while try reader.nextKey() {
      if reader.key(is: "segments") {
        try reader.beginArray()
        while try reader.nextElement() {
          entry.segments.append(try segment(&reader, &hasLargeTexts))
        }
      } else if reader.key(is: "v") {
        let version = try reader.int()
        guard version == Self.version else {
          throw KeepsakeError(
            .newerStore,
            "An entry is of version \(version), and this build reads \(Self.version). Upgrade Keepsake."
          )
        }
      } else if reader.key(is: "toolCalls") {
        try reader.beginArray()
        while try reader.nextElement() { entry.toolCalls.append(try toolCall(&reader)) }
      } else if reader.key(is: "callID") {
        entry.callID = try reader.string()
      } else if reader.key(is: "tool") {
        entry.tool = try reader.string()
      } else {
        try rare(&reader, into: &entry)
      }
    }
    return hasLargeTexts
  }

  /// Returns the segments of a body that holds a text first, then only texts and attachments, as most bodies do.
  ///
  /// Nil for any other body, also for a damaged one. The bytes around the texts are compared and not parsed, which is faster;
  /// the texts are checked as always.
  static func plainSegments(_ bytes: RawSpan, scratch: inout [UInt8]) -> [Entry.Segment]? {
    let tail: StaticString = "}]}"
    let end = bytes.byteCount - tail.utf8CodeUnitCount
    guard bytes.spells(tail, from: end, to: bytes.byteCount) else { return nil }
    var reader = JSONReader(bytes, scratch: scratch)
    scratch = []
    defer { scratch = reader.takeScratch() }
    guard reader.passes(#"{"v":1,"segments":[{"text":"#), let text = try? reader.string() else {
      return nil
    }
    var segments: [Entry.Segment] = [.text(text)]
    while reader.position < end {
      if reader.passes(#"},{"attachment":"#), let index = try? reader.int() {
        segments.append(.attachment(Int(index)))
      } else if reader.passes(#"},{"text":"#), let text = try? reader.string() {
        segments.append(.text(text))
      } else {
        return nil
      }
    }
    return reader.position == end ? segments : nil
  }

  private static func segment(_ reader: inout JSONReader, _ hasLargeTexts: inout Bool) throws
    -> Entry.Segment
  {
    var id: String?
    var name: String?
    var content: Entry.Segment.Content?
    try reader.beginObject()
    while try reader.nextKey() {
      if reader.key(is: "text") {
        content = .text(try reader.string())
      } else if reader.key(is: "id") {
        id = try reader.string()
      } else if reader.key(is: "schema") || reader.key(is: "type") {
        name = try reader.string()
      } else if reader.key(is: "structure") {
        content = .structure(try reader.rawValue(), schema: name)
      } else if reader.key(is: "attachment") {
        content = .attachment(Int(try reader.int()))
      } else if reader.key(is: "textArtifact") {
        content = .opaque(.string(try reader.string()), type: LargeText.placeholder)
        hasLargeTexts = true
      } else if reader.key(is: "opaque") {
        content = .opaque(try reader.rawValue(), type: name ?? "")
      } else {
        try reader.skipValue()
      }
    }
    guard let content else {
      throw KeepsakeError(.damaged, "A segment of an entry has no content.", remedy: .verify)
    }
    return Entry.Segment(content, id: id)
  }

  private static func toolCall(_ reader: inout JSONReader) throws -> Entry.ToolCall {
    var call = Entry.ToolCall(id: "", tool: "", arguments: "")
    try reader.beginObject()
    while try reader.nextKey() {
      if reader.key(is: "id") {
        call.id = try reader.string()
      } else if reader.key(is: "tool") {
        call.tool = try reader.string()
      } else if reader.key(is: "arguments") {
        call.arguments = try reader.string()
      } else {
        try reader.skipValue()
      }
    }
    return call
  }

  private static func rare(_ reader: inout JSONReader, into entry: inout Entry) throws {
    if reader.key(is: "tags") {
      var tags: [String] = []
      try reader.beginArray()
      while try reader.nextElement() { tags.append(try reader.string()) }
      entry.tags = tags
    } else if reader.key(is: "metadata") {
      entry.metadata = try reader.rawValue()
    } else if reader.key(is: "options") {
      entry.options = try reader.rawValue()
    } else if reader.key(is: "responseFormat") {
      entry.responseFormat = try reader.rawValue()
    } else if reader.key(is: "toolDefinitions") {
      entry.toolDefinitions = try reader.rawValue()
    } else if reader.key(is: "usage") {
      entry.rawUsage = try reader.rawValue()
    } else if reader.key(is: "timing") {
      entry.timing = try reader.rawValue()
    } else if reader.key(is: "signature") {
      entry.signature = try reader.string()
    } else if reader.key(is: "foreignTime") {
      entry.foreignTime = try reader.string()
    } else if reader.key(is: "continuesAfter") {
      entry.continuesAfter = Int(try reader.int())
    } else {
      try reader.skipValue()
    }
  }
}

extension Entry.Segment {
  fileprivate var sizeHint: Int {
    switch content {
    case .text(let text): text.utf8.count + text.utf8.count / 16 + 32
    case .structure(let json, _), .opaque(let json, _): json.bytes.count + 64
    case .attachment: 32
    }
  }
}
