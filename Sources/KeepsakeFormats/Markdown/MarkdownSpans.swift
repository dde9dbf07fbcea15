/// Keeps HTML in lines of Markdown from being HTML, and leaves what is certainly code in them as it is.
struct MarkdownSpans {
  /// Whether every backtick since the paragraph began has its other one on the same line, so that none of them reaches
  /// into the next.
  private var isBalanced = true

  mutating func endParagraph() { isBalanced = true }

  /// A line in which no tag begins.
  mutating func safe(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var code = code(in: bytes)[...]
    guard bytes.contains(UInt8(ascii: "<")) else { return Array(bytes) }
    // What looks like a URL may be a link, and then a backslash in it is only itself.
    let hasLinks = bytes.indices.contains { Self.beginsLink(bytes[$0...]) }
    var result: [UInt8] = []
    var slashes = 0
    for (index, byte) in zip(bytes.indices, bytes) {
      while let first = code.first, first.upperBound <= index { code.removeFirst() }
      let isEscaped = slashes % 2 == 1 && !hasLinks
      slashes = byte == UInt8(ascii: "\\") ? slashes + 1 : 0
      let isTag =
        byte == UInt8(ascii: "<") && !isEscaped
        && (bytes[(index + 1)...].first.map(Self.beginsTag) ?? false)
      if isTag, !(code.first?.contains(index) ?? false) {
        result += Array("&lt;".utf8)
      } else {
        result.append(byte)
      }
    }
    return result
  }

  private static func beginsTag(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "/"), UInt8(ascii: "!"), UInt8(ascii: "?"):
      true
    default: false
    }
  }

  /// Whether what some readers make a link of by itself goes on here.
  private static func beginsLink(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.starts(with: "://".utf8)
      || bytes.prefix(4).elementsEqual("www.".utf8, by: { $0 | 0x20 == $1 | 0x20 })
  }

  /// Where in a line code certainly stands.
  private mutating func code(in bytes: ArraySlice<UInt8>) -> [Range<Int>] {
    let tick = UInt8(ascii: "`")
    var spans: [Range<Int>] = []
    var isOdd = false
    var index = bytes.startIndex
    /// Up to where no link that is written as a URL, and none in parentheses, takes anything.
    var plainEnd = index
    var linkEnd = index
    var ahead = BytesAhead(bytes)
    while index < bytes.endIndex {
      if bytes[index] == UInt8(ascii: "\\") {
        // Before a letter it is only itself, and a letter is no backtick.
        index += 2
        continue
      }
      guard bytes[index] == tick else {
        if index >= plainEnd, Self.beginsLink(bytes[index...]) {
          guard let end = Self.plainEnd(bytes[index...]) else {
            // The link would take the backtick, and begin no code with it.
            isOdd = true
            break
          }
          plainEnd = end
        }
        if index >= linkEnd, bytes[index...].starts(with: "](".utf8) {
          guard let end = Self.linkEnd(bytes[(index + 2)...], &ahead) else {
            isOdd = true
            break
          }
          linkEnd = end
        }
        index += 1
        continue
      }
      let length = bytes[index...].prefix { $0 == tick }.count
      guard let end = Self.end(ofRun: length, in: bytes[(index + length)...]) else {
        isOdd = true
        break
      }
      spans.append(index..<end)
      index = end
    }
    let hasBars = bytes.contains(UInt8(ascii: "|"))
    let isParted = spans.contains { bytes[$0].contains(UInt8(ascii: "|")) }
    defer { if isOdd || isParted { isBalanced = false } }
    // A bar may part a row of a table, and the code with it.
    return isBalanced && !isParted && !(isOdd && hasBars) ? spans : []
  }

  /// The end of a word; nil where it has in it what would be code, or escape something.
  private static func plainEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
    let end = bytes.firstIndex {
      $0.isMarkdownSpace || "<`\\".utf8.contains($0)
    }
    guard let end, !bytes[end].isMarkdownSpace, bytes[end] != UInt8(ascii: "<") else {
      return end ?? bytes.endIndex
    }
    return nil
  }

  /// Up to where a link's destination and title, which stand behind `](`, have no backtick in them; nil where they do, or
  /// may go on in the next line.
  private static func linkEnd(_ bytes: ArraySlice<UInt8>, _ ahead: inout BytesAhead) -> Int? {
    let tick = UInt8(ascii: "`")
    let inside = bytes.drop(while: \.isMarkdownSpace)
    guard let first = inside.first else { return nil }
    let isBracketed = first == UInt8(ascii: "<")
    // Parentheses and what is escaped may stand in it; else the first one ends it. Where the word ends that it stands in
    // is not looked for before: a line may hold many links and no blank.
    if !isBracketed,
      let close = inside.firstIndex(where: { $0.isMarkdownSpace || "()\\".utf8.contains($0) }),
      inside[close] == UInt8(ascii: ")")
    {
      return inside[..<close].contains(tick) ? nil : close
    }
    let end =
      isBracketed
      ? inside.firstIndex(of: UInt8(ascii: ">"))
      : inside.firstIndex(where: \.isMarkdownSpace) ?? inside.endIndex
    guard let end else { return nil }
    let word = inside[..<end]
    if word.contains(tick) { return nil }
    let title = inside[end...].dropFirst(isBracketed ? 1 : 0).drop(while: \.isMarkdownSpace)
    guard let quote = title.first else { return word.contains(UInt8(ascii: ")")) ? end : nil }
    guard "\"'(".utf8.contains(quote) else { return end }
    let closing = quote == UInt8(ascii: "(") ? UInt8(ascii: ")") : quote
    guard let last = ahead.next(closing, from: title.startIndex + 1) else { return nil }
    for byte in [tick, UInt8(ascii: "\\")] {
      if let place = ahead.next(byte, from: title.startIndex), place < last { return nil }
    }
    return end
  }

  /// Where the next run of so many backticks ends.
  private static func end(ofRun length: Int, in bytes: ArraySlice<UInt8>) -> Int? {
    var index = bytes.startIndex
    while let start = bytes[index...].firstIndex(of: UInt8(ascii: "`")) {
      let found = bytes[start...].prefix { $0 == UInt8(ascii: "`") }.count
      if found == length { return start + found }
      index = start + found
    }
    return nil
  }
}

/// Where in a line bytes come next, going on from left to right: what many places wait for is looked for once.
private struct BytesAhead {
  private let line: ArraySlice<UInt8>
  /// By byte: from where it was looked for, and where it is; the line's end where it does not come.
  private var known: [UInt8: (start: Int, place: Int)] = [:]

  init(_ line: ArraySlice<UInt8>) { self.line = line }

  mutating func next(_ byte: UInt8, from start: Int) -> Int? {
    if let (first, place) = known[byte], first...place ~= start {
      return place == line.endIndex ? nil : place
    }
    let place = line[start...].firstIndex(of: byte)
    known[byte] = (start, place ?? line.endIndex)
    return place
  }
}
