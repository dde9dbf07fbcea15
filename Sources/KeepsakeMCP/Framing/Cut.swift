/// Cuts text to a number of bytes, never inside of a character or of an escape.
enum Cut {
  /// Returns the longest beginning of a text that has at most so many bytes.
  ///
  /// An escape as ``VisibleText`` writes it is not cut, so that no part of one can be taken for text.
  static func prefix(of text: String, bytes limit: Int) -> String {
    let all = Array(text.utf8)
    guard all.count > limit else { return text }
    return String(decoding: all[..<end(of: all, from: 0, limit: limit)], as: UTF8.self)
  }

  /// Returns the offset at which a piece of at most so many bytes ends; at least one character is in it.
  static func end(of text: [UInt8], from start: Int, limit: Int) -> Int {
    guard text.count - start > limit else { return text.count }
    var end = start + max(0, limit)
    while end > start, text[end] & 0xC0 == 0x80 { end -= 1 }
    // `\u{10ffff}` has ten bytes, so an escape that is cut begins in the nine before the cut.
    for candidate in max(start, end - 9)..<max(start, end) where text[candidate] == 0x5C {
      let rest = text[candidate..<min(text.count, candidate + 10)]
      guard rest.starts(with: Array("\\u{".utf8)),
        let close = rest.firstIndex(of: UInt8(ascii: "}")), close >= end,
        rest[(candidate + 3)..<close].allSatisfy(isHexadecimal)
      else { continue }
      end = candidate
      break
    }
    return end
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x61...0x66: true
    default: false
    }
  }

  /// Returns whether a place in a text is between two characters.
  static func isBoundary(_ offset: Int, of text: [UInt8]) -> Bool {
    offset == text.count || (offset >= 0 && offset < text.count && text[offset] & 0xC0 != 0x80)
  }
}
