/// Finds bytes that are written out in a text, as base64 or as a `data:` URL: nobody reads or looks for those.
enum EncodedBytes {
  /// Shorter runs are words; lines of base64 in mails and certificates have 64 or 76 letters.
  static let shortestRun = 60

  /// Takes them out of a text's tail, and leaves a space for each.
  static func remove(from text: inout [UInt8], after start: Int) {
    var kept = start
    var copied = start
    var cursor = start
    while cursor < text.count {
      guard let end = endOfRun(in: text, at: cursor, after: start) else {
        cursor += 1
        continue
      }
      guard end.isEncoded else {
        cursor = end.offset
        continue
      }
      text.move(copied..<cursor, to: &kept)
      text[kept] = UInt8(ascii: " ")
      kept += 1
      cursor = end.offset
      copied = cursor
    }
    guard copied > start else { return }
    text.move(copied..<text.count, to: &kept)
    text.removeSubrange(kept...)
  }

  /// The end of the run that begins at an offset; nil where none does.
  private static func endOfRun(in text: [UInt8], at start: Int, after first: Int)
    -> (offset: Int, isEncoded: Bool)?
  {
    guard text[start].isBase64 else { return nil }
    if text[start] | 0x20 == UInt8(ascii: "d"), let end = endOfDataURL(in: text, at: start) {
      return (end, true)
    }
    var end = start + 1
    while end < text.count, text[end].isBase64 { end += 1 }
    return (end, end - start >= shortestRun && isBase64(text[start..<end]))
  }

  /// Whether a long run is bytes: letters of both cases and digits, mixed, and no more signs than chance puts there.
  ///
  /// Of random base64 one letter in 32 is a sign. Paths have more, names and hexadecimal digests only one case.
  private static func isBase64(_ run: ArraySlice<UInt8>) -> Bool {
    var (upper, lower, digits, signs) = (0, 0, 0, 0)
    for byte in run {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): upper += 1
      case UInt8(ascii: "a")...UInt8(ascii: "z"): lower += 1
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digits += 1
      case UInt8(ascii: "="): break
      default: signs += 1
      }
    }
    return upper > 0 && lower > 0 && digits > 0 && signs * 12 <= run.count
  }

  /// The end of the `data:` URL that begins at an offset, at a blank, a quote or a bracket; nil where none begins.
  private static func endOfDataURL(in text: [UInt8], at start: Int) -> Int? {
    let scheme = Array("data:".utf8)
    guard text.count - start > scheme.count,
      zip(text[start...], scheme).allSatisfy({ $0 | 0x20 == $1 | 0x20 })
    else { return nil }
    // The media type and its parameters, up to the comma.
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
  /// Whether base64 is written with this, in either alphabet.
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
  /// Moves bytes towards the front, and the place to write on behind them.
  fileprivate mutating func move(_ range: Range<Int>, to place: inout Int) {
    if range.lowerBound != place {
      for (offset, index) in range.enumerated() { self[place + offset] = self[index] }
    }
    place += range.count
  }
}
