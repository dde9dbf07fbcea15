import Keepsake

/// Reads what a tool returned in a shape of its own: a text, a result in MCP's form, or any JSON.
///
/// Files in base64 are attached, and removed from the JSON.
enum ReturnedJSON {
  static func segments(
    _ range: Range<Int>, madeBy maker: Entry.MadeBy, in record: inout RecordReader
  ) -> [Entry.Segment] {
    switch JSONText.kind(range, in: record.bytes) {
    case nil, .null?: return []
    case .string?:
      if let file = file(at: range, in: record.bytes) {
        return attachment(file, madeBy: maker, in: &record).map { [.init($0)] }
          ?? [.init(record.opaque(range, type: "output"))]
      }
      return record.text(range).map { [.text($0)] } ?? []
    default:
      return blocks(range, madeBy: maker, in: &record)
        ?? structure(range, madeBy: maker, in: &record)
    }
  }

  // MARK: - Results of MCP

  private static let known = ["content", "structuredContent", "isError", "_meta", "resultType"]
  private static let types = ["text", "image", "audio", "resource", "resource_link"]

  /// The segments of a result in MCP's form; nil where the value has another form.
  private static func blocks(
    _ range: Range<Int>, madeBy maker: Entry.MadeBy, in record: inout RecordReader
  ) -> [Entry.Segment]? {
    guard let result = JSONObject(range, in: record.bytes), let blocks = result.elements("content"),
      result.members.allSatisfy({ known.contains($0.key) }),
      blocks.allSatisfy({ block in
        JSONObject(block, in: record.bytes)?.string("type").map(types.contains) ?? false
      })
    else { return nil }
    var segments = blocks.map { block in
      var rest: [(String, JSON)] = []
      return MCPBlock.segment(block, madeBy: maker, rest: &rest, in: &record)
    }
    if let structured = result.json("structuredContent"), !structured.isDefault {
      segments.append(.structure(structured))
    }
    return segments
  }

  // MARK: - JSON of any shape

  private static let depthLimit = 24

  /// A file in a string.
  private struct File {
    let payload: Range<Int>
    let mediaType: MediaType?
  }

  private static func structure(
    _ range: Range<Int>, madeBy maker: Entry.MadeBy, in record: inout RecordReader
  ) -> [Entry.Segment] {
    var files: [File] = []
    find(range, depth: 0, in: record.bytes, &files)
    var attached: [Entry.Segment] = []
    var rest: [UInt8] = []
    var start = range.lowerBound
    for file in files {
      guard let content = attachment(file, madeBy: maker, in: &record) else { continue }
      attached.append(.init(content))
      rest += record.bytes[start..<file.payload.lowerBound]
      start = file.payload.upperBound
    }
    rest += record.bytes[start..<range.upperBound]
    // Shortening strings inside of a valid value leaves it valid.
    let json = try? JSON(validating: rest)
    return (json.map { [.structure($0)] } ?? []) + attached
  }

  private static func attachment(
    _ file: File, madeBy maker: Entry.MadeBy, in record: inout RecordReader
  ) -> Entry.Segment.Content? {
    let content = record.attach(
      base64: file.payload, mediaType: file.mediaType, label: nil, madeBy: maker)
    if content == nil {
      record.remark("The base64 in what a tool returned is damaged; it is kept as it is.")
    }
    return content
  }

  private static func find(
    _ value: Range<Int>, depth: Int, in bytes: [UInt8], _ files: inout [File]
  ) {
    guard depth < depthLimit else { return }
    switch bytes[value.lowerBound] {
    case UInt8(ascii: "{"):
      for (_, member) in JSONObject(value, in: bytes)?.members ?? [] {
        find(member, depth: depth + 1, in: bytes, &files)
      }
    case UInt8(ascii: "["):
      for element in JSONText.elements(value, in: bytes) ?? [] {
        find(element, depth: depth + 1, in: bytes, &files)
      }
    case UInt8(ascii: "\""):
      if let file = file(at: value, in: bytes) { files.append(file) }
    default: break
    }
  }

  /// The beginnings of base64 of PNG, JPEG, GIF and RIFF; WebP and WAV are RIFF.
  private static let beginnings = ["iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR"].map { Array($0.utf8) }

  /// The file in a string, which is a data URL or the plain base64 of an image; nil for other strings.
  private static func file(at string: Range<Int>, in bytes: [UInt8]) -> File? {
    guard string.count > 2 else { return nil }
    if let url = DataURL(string, in: bytes) {
      return File(payload: url.payload, mediaType: url.mediaType)
    }
    let text = (string.lowerBound + 1)..<(string.upperBound - 1)
    guard text.count >= SourceSpan.minimum,
      beginnings.contains(where: { bytes[text].starts(with: $0) })
    else { return nil }
    return File(payload: text, mediaType: nil)
  }
}
