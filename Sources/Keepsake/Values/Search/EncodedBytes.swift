/// Finds base64 and `data:` URLs in a text, because nobody reads or searches for encoded bytes.
enum EncodedBytes {
  /// The least length of a run of base64; shorter runs are words, and lines of encoded mails have 64 or 76 letters.
  static let shortestRun = 60

  /// The beginning of a `data:` URL in lower case.
  private static let scheme = Array("data:".utf8)

  /// Replaces all encoded bytes after an offset of a text with a space each.
  static func remove(from text: inout [UInt8], after start: Int) {
    var found = ranges(in: text.span, after: start)[...]
    guard var kept = found.first?.lowerBound else { return }
    while let range = found.popFirst() {
      text[kept] = UInt8(ascii: " ")
      kept += 1
      text.move(range.upperBound..<(found.first?.lowerBound ?? text.count), to: &kept)
    }
    text.removeSubrange(kept...)
  }

  /// Returns the ranges of encoded bytes, in order.
  private static func ranges(in text: Span<UInt8>, after start: Int) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var cursor = start
    var url = nextURL(in: text, from: start, after: start)
    while let run = nextRun(in: text, from: cursor) {
      // A URL that begins before the run contains the run.
      while let before = url, before.lowerBound < run.lowerBound {
        ranges.append(before)
        cursor = before.upperBound
        url = nextURL(in: text, from: cursor, after: start)
      }
      guard cursor <= run.lowerBound else { continue }
      if isBase64(text, run) { ranges.append(run) }
      cursor = run.upperBound
    }
    while let last = url {
      ranges.append(last)
      url = nextURL(in: text, from: last.upperBound, after: start)
    }
    return ranges
  }

  /// Returns the next run of base64 letters that is long enough, from an offset outside of a run.
  ///
  /// The search looks at the byte where the shortest run would end, and backwards from there, so that it reads about one byte
  /// in ten of most texts.
  private static func nextRun(in text: Span<UInt8>, from start: Int) -> Range<Int>? {
    var first = start
    while first + shortestRun <= text.count {
      var index = first + shortestRun - 1
      while index >= first, text[index].isBase64 { index -= 1 }
      if index >= first {
        first = index + 1
        continue
      }
      var end = first + shortestRun
      while end < text.count, text[end].isBase64 { end += 1 }
      return first..<end
    }
    return nil
  }

  /// Returns the next `data:` URL that does not begin inside of a run of base64 letters.
  private static func nextURL(in text: Span<UInt8>, from start: Int, after first: Int)
    -> Range<Int>?
  {
    var next = start + 4
    while let colon = nextColon(in: text, from: next) {
      let begin = colon - 4
      if begin == first || !text[begin - 1].isBase64, let end = endOfDataURL(in: text, at: begin) {
        return begin..<end
      }
      next = colon + 1
    }
    return nil
  }

  private static func nextColon(in text: Span<UInt8>, from start: Int) -> Int? {
    var index = start
    while index + 8 <= text.count {
      let found = JSONWord.matches(UInt8(ascii: ":"), in: JSONWord.load(text.bytes, at: index))
      if found != 0 { return index + found.trailingZeroBitCount >> 3 }
      index += 8
    }
    while index < text.count {
      if text[index] == UInt8(ascii: ":") { return index }
      index += 1
    }
    return nil
  }

  /// Tells whether a long run is encoded bytes: it mixes letters of both cases with digits, and has few signs.
  ///
  /// In random base64, one letter in 32 is a sign. Paths have more signs, and names and hexadecimal digests have only one case.
  private static func isBase64(_ text: Span<UInt8>, _ run: Range<Int>) -> Bool {
    var (upper, lower, digits, signs) = (0, 0, 0, 0)
    for index in run {
      switch text[index] {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): upper += 1
      case UInt8(ascii: "a")...UInt8(ascii: "z"): lower += 1
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digits += 1
      case UInt8(ascii: "="): break
      default: signs += 1
      }
    }
    return upper > 0 && lower > 0 && digits > 0 && signs * 12 <= run.count
  }

  /// Returns the end of a `data:` URL, which is a blank, a quote or a bracket; nil if no URL begins at the offset.
  private static func endOfDataURL(in text: Span<UInt8>, at start: Int) -> Int? {
    guard text.count - start > scheme.count else { return nil }
    for (place, letter) in scheme.enumerated() where text[start + place] | 0x20 != letter {
      return nil
    }
    // This passes the media type and its parameters up to the comma.
    var cursor = start + scheme.count
    var hasType = false
    while cursor < text.count, text[cursor] != UInt8(ascii: ",") {
      guard cursor - start < 200, !text[cursor].endsURL else { return nil }
      if text[cursor] == UInt8(ascii: "/") || text[cursor] == UInt8(ascii: ";") { hasType = true }
      cursor += 1
    }
    guard hasType, cursor < text.count else { return nil }
    while cursor < text.count, !text[cursor].endsURL { cursor += 1 }
    return cursor
  }
}

extension UInt8 {
  /// Tells whether the byte is a letter of base64, in either alphabet.
  fileprivate var isBase64: Bool {
    switch self {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"),
      UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "="):
      true
    default: false
    }
  }

  fileprivate var endsURL: Bool {
    switch self {
    case 0...0x20, UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"), UInt8(ascii: "<"),
      UInt8(ascii: ">"), UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
      true
    default: false
    }
  }
}

extension [UInt8] {
  /// Moves bytes to an earlier place, and sets the place to the end of the moved bytes.
  fileprivate mutating func move(_ range: Range<Int>, to place: inout Int) {
    if range.lowerBound != place {
      for (offset, index) in range.enumerated() { self[place + offset] = self[index] }
    }
    place += range.count
  }
}
