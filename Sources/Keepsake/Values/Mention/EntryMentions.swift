/// Finds the mentions in an entry's texts, structures and tool calls.
struct EntryMentions {
  private let table: ReferenceTable
  private let unknown: Bool

  /// A mention with its place and its bytes.
  struct Found {
    let place: Mention.Place
    let found: MentionScan.Found
    let spelling: String
    /// The bytes of the mention in the text, the structure or the arguments, and the string that contains them.
    let range: Range<Int>
    let string: Range<Int>
    let isInJSON: Bool
  }

  init(_ table: ReferenceTable, unknown: Bool = false) {
    self.table = table
    self.unknown = unknown
  }

  func forEach(in entry: Entry, _ body: (Found) -> Void) {
    guard !entry.isErased, !table.subjects.isEmpty || unknown else { return }
    var scan = MentionScan(table)
    scan.position = entry.position
    scan.findsUnknown = unknown
    for (index, segment) in entry.segments.enumerated() {
      switch segment.content {
      case .text(let text):
        forEach(in: text, &scan) { found, _, range, string, isInJSON, spelling in
          body(
            Found(
              place: .text(segment: index, range: range), found: found, spelling: spelling,
              range: range, string: string, isInJSON: isInJSON))
        }
      case .structure(let json, _):
        forEach(in: json, &scan) { found, pointer, range, string, spelling in
          body(
            Found(
              place: .structure(segment: index, pointer: pointer, range: found.part),
              found: found.found,
              spelling: spelling, range: range, string: string, isInJSON: true))
        }
      case .attachment, .opaque: break
      }
    }
    for (index, call) in entry.toolCalls.enumerated() {
      if let json = try? JSON(validating: call.arguments),
        json.bytes.count == call.arguments.utf8.count
      {
        forEach(in: json, &scan) { found, pointer, range, string, spelling in
          body(
            Found(
              place: .arguments(call: index, pointer: pointer, range: found.part),
              found: found.found,
              spelling: spelling, range: range, string: string, isInJSON: true))
        }
      } else {
        forEach(in: call.arguments, &scan) { found, pointer, range, string, isInJSON, spelling in
          body(
            Found(
              place: .arguments(call: index, pointer: pointer, range: range), found: found,
              spelling: spelling, range: range, string: string, isInJSON: isInJSON))
        }
      }
    }
  }

  /// Scans a text; a JSON object or array is scanned as JSON, so that replacements leave it valid JSON.
  private func forEach(
    in text: String, _ scan: inout MentionScan,
    _ body: (MentionScan.Found, JSONPointer?, Range<Int>, Range<Int>, Bool, String) -> Void
  ) {
    let bytes = Array(text.utf8)
    let first = bytes.first { $0 > 0x20 }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
      let json = try? JSON(validating: bytes)
    {
      let shift = bytes.firstIndex { $0 > 0x20 } ?? 0
      forEach(in: json, &scan) { found, pointer, range, string, spelling in
        body(
          found.found, pointer, range.lowerBound + shift..<range.upperBound + shift,
          string.lowerBound + shift..<string.upperBound + shift, true, spelling)
      }
      return
    }
    for found in scan.scan(bytes) {
      body(
        found, nil, found.range, bytes.indices, false,
        String(decoding: bytes[found.range], as: UTF8.self))
    }
  }

  /// A mention inside of a JSON string.
  private struct InString {
    let found: MentionScan.Found
    /// The range in the string's value; nil for the whole value.
    let part: Range<Int>?
  }

  private func forEach(
    in json: JSON, _ scan: inout MentionScan,
    _ body: (InString, JSONPointer, Range<Int>, Range<Int>, String) -> Void
  ) {
    JSONStrings.forEach(in: json) { value, extent, tokens in
      let found = scan.scan(value)
      guard !found.isEmpty else { return }
      let pointer = JSONPointer(tokens: tokens())
      let places = JSONStrings.spelled(
        found.flatMap { [$0.range.lowerBound, $0.range.upperBound] }, in: json.bytes, extent)
      for (index, each) in found.enumerated() {
        body(
          InString(found: each, part: each.range == value.indices ? nil : each.range), pointer,
          places[2 * index]..<places[2 * index + 1], extent,
          String(decoding: value[each.range], as: UTF8.self))
      }
    }
  }
}
