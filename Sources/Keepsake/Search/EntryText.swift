import KeepsakeFiles

/// What people read of an entry, as one text: what search looks through, and what snippets are cut from.
///
/// - the text segments; a tool output that is JSON counts as a structure;
/// - the strings in structures and in tool calls' arguments, without their keys;
/// - labels, file names and captions of what is attached.
///
/// Left out are opaque content, ids, bytes that are written out as base64 or as a `data:` URL, and what
/// follows the first MiB of a text. Each piece stands on a line of its own. Whoever changes what is taken has to change
/// `SearchText.version`.
struct EntryText {
  /// How much of a text that is kept as an artifact is looked through.
  static let largeTextLimit = LargeTexts.limit

  /// UTF-8.
  private(set) var bytes: [UInt8] = []

  /// Adds what an entry's body says.
  /// - Parameter largeText: Gives the beginning of a text that the body only names.
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

  /// Adds what is said of an attachment; the captions as the database holds them.
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

  /// Adds the strings of a text that is a JSON object or array; false, and nothing is added, for any other text.
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

  /// Adds the strings of a value that was passed. What is followed by a colon is a key.
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
