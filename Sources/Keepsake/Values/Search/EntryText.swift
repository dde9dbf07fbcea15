import KeepsakeFiles

/// The text of an entry that people read, which search looks through and snippets are cut from.
///
/// It contains:
/// - the text segments; a tool output that is JSON counts as structure;
/// - the strings in structures and in the arguments of tool calls, without keys;
/// - the labels, file names and captions of attachments.
///
/// It leaves out opaque content, ids, bytes that are encoded as base64 or a `data:` URL, and everything after the first MiB of
/// a text. Each piece is a line of its own. Any change to this selection needs a new `SearchText.version`.
struct EntryText {
  /// The number of bytes that are searched in a text that is kept as an artifact.
  static let largeTextLimit = LargeText.limit

  /// The text in UTF-8.
  private(set) var bytes: [UInt8] = []

  /// Adds the text of an entry's body.
  ///
  /// - Parameters:
  ///   - body: The body.
  ///   - kind: The kind of the entry.
  ///   - largeText: A closure that gives the beginning of a text that is kept as an artifact.
  mutating func add(
    body: RawSpan, of kind: Entry.Kind, largeText: (Artifact.ID) throws -> [UInt8]
  ) throws {
    var reader = JSONReader(body)
    try reader.beginObject()
    while try reader.nextKey() {
      if reader.key(is: "segments") {
        try reader.beginArray()
        while try reader.nextElement() {
          try addSegment(&reader, isOutput: kind == .toolOutput, largeText)
        }
      } else if reader.key(is: "toolCalls") {
        try reader.beginArray()
        while try reader.nextElement() { try addToolCall(&reader) }
      } else {
        try reader.skipValue()
      }
    }
  }

  /// Adds the label, the file name and the captions of an attachment; the captions are in the database's form.
  mutating func add(label: String?, fileName: String?, captions: String?) {
    if let label { add(label.utf8) }
    if let fileName { add(fileName.utf8) }
    for caption in Entry.Attachment.captions(captions) { add(caption.text.utf8) }
  }

  private mutating func addSegment(
    _ reader: inout JSONReader, isOutput: Bool, _ largeText: (Artifact.ID) throws -> [UInt8]
  ) throws {
    try reader.beginObject()
    while try reader.nextKey() {
      if reader.key(is: "text") {
        let text = try reader.stringBytes()
        if !isOutput || !addStrings(ofJSON: text) { add(text) }
      } else if reader.key(is: "textArtifact") {
        if let id = Artifact.ID(try reader.string()) { add(try largeText(id)) }
      } else if reader.key(is: "structure") {
        let start = reader.position
        let value = try reader.skipValue()
        try addStrings(in: &reader, from: start, to: value.upperBound)
      } else {
        try reader.skipValue()
      }
    }
  }

  private mutating func addToolCall(_ reader: inout JSONReader) throws {
    try reader.beginObject()
    while try reader.nextKey() {
      if reader.key(is: "arguments") {
        let arguments = try reader.stringBytes()
        if !addStrings(ofJSON: arguments) { add(arguments) }
      } else {
        try reader.skipValue()
      }
    }
  }

  /// Adds the strings of a text that is a JSON object or array; for any other text it adds nothing and returns false.
  private mutating func addStrings(ofJSON text: [UInt8]) -> Bool {
    guard let first = text.first(where: { !$0.isBlank }),
      first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    else { return false }
    var reader = JSONReader(text.span.bytes)
    let length = bytes.count
    do {
      let value = try reader.skipValue()
      try reader.end()
      try addStrings(in: &reader, from: value.lowerBound, to: value.upperBound)
      return true
    } catch {
      bytes.removeSubrange(length...)
      return false
    }
  }

  /// Adds the strings of a JSON value; a string before a colon is a key, and left out.
  private mutating func addStrings(in reader: inout JSONReader, from start: Int, to end: Int)
    throws
  {
    var cursor = start
    while cursor < end {
      guard reader.byte(at: cursor) == UInt8(ascii: "\"") else {
        cursor += 1
        continue
      }
      let string = try reader.string(at: cursor)
      cursor = string.end + 1
      if reader.byte(at: reader.skipSpace(cursor)) == UInt8(ascii: ":") { continue }
      add(reader.ownedBytes(string))
    }
  }

  private mutating func add(_ piece: some Collection<UInt8>) {
    let start = bytes.isEmpty ? 0 : bytes.count + 1
    if start > 0 { bytes.append(UInt8(ascii: "\n")) }
    bytes += piece
    EncodedBytes.remove(from: &bytes, after: start)
  }
}
