/// Makes HTML tags in lines of Markdown harmless, and leaves alone what is certainly code.
struct MarkdownSpans {
  /// Whether every run of backticks since the paragraph began is closed on its own line, so that no code goes on into
  /// the next line.
  private var isBalanced = true

  mutating func endParagraph() { isBalanced = true }

  /// Returns the line with every `<` escaped that could begin a tag.
  mutating func safe(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var code = code(in: bytes)[...]
    guard bytes.contains(UInt8(ascii: "<")) else { return Array(bytes) }
    // A backslash in a URL escapes nothing, and a text that looks like a URL may become a link.
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

  /// Returns whether the bytes continue a text such as `https://` or `www.`, which some readers turn into a link by
  /// themselves.
  private static func beginsLink(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.starts(with: "://".utf8)
      || bytes.prefix(4).elementsEqual("www.".utf8, by: { $0 | 0x20 == $1 | 0x20 })
  }

  /// The ranges of a line that are certainly code.
  private mutating func code(in bytes: ArraySlice<UInt8>) -> [Range<Int>] {
    let tick = UInt8(ascii: "`")
    var spans: [Range<Int>] = []
    var isOdd = false
    var index = bytes.startIndex
    // No bare URL before `plainEnd`, and no link in parentheses before `linkEnd`, contains a backtick.
    var plainEnd = index
    var linkEnd = index
    var ahead = BytesAhead(bytes)
    while index < bytes.endIndex {
      if bytes[index] == UInt8(ascii: "\\") {
        // A backslash before a letter escapes nothing, and a letter is no backtick, so the next byte is skipped in
        // any case.
        index += 2
        continue
      }
      guard bytes[index] == tick else {
        if index >= plainEnd, Self.beginsLink(bytes[index...]) {
          guard let end = Self.plainEnd(bytes[index...]) else {
            // The link would contain the backtick, which then begins no code.
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
    // A bar may divide a table's row into cells, and with it the code.
    return isBalanced && !isParted && !(isOdd && hasBars) ? spans : []
  }

  /// The end of a bare URL; nil where it holds a backtick or a backslash, so that its end is uncertain.
  private static func plainEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
    let end = bytes.firstIndex {
      $0.isMarkdownSpace || "<`\\".utf8.contains($0)
    }
    guard let end, !bytes[end].isMarkdownSpace, bytes[end] != UInt8(ascii: "<") else {
      return end ?? bytes.endIndex
    }
    return nil
  }

  /// An index up to which the destination and title of a link hold no backtick.
  ///
  /// Returns nil where they hold a backtick or may continue on the next line.
  private static func linkEnd(_ bytes: ArraySlice<UInt8>, _ ahead: inout BytesAhead) -> Int? {
    let tick = UInt8(ascii: "`")
    let inside = bytes.drop(while: \.isMarkdownSpace)
    guard let first = inside.first else { return nil }
    let isBracketed = first == UInt8(ascii: "<")
    // The first closing parenthesis ends the destination, unless it holds parentheses or escapes. The end of the word
    // is not searched first, because a line may hold many links and no blank.
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

  /// The end of the next run of exactly so many backticks; nil where there is none.
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

/// Finds the next place of a byte in a line, going from left to right, without searching the same part twice.
private struct BytesAhead {
  private let line: ArraySlice<UInt8>
  /// The last search for each byte: where it started, and the place it found, which is the line's end for none.
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
