extension StringProtocol {
  /// Whether the text has a letter of a script that is read from right to left.
  ///
  /// The bytes are looked at, and not the characters: every text of a page passes here. Hebrew, Arabic, Syriac, Thaana
  /// and NKo, and their presentation forms, are told from all others by one or two bytes.
  var hasRightToLeft: Bool {
    var previous: UInt8 = 0
    for byte in utf8 {
      switch (previous, byte) {
      case (_, 0xD6...0xDF): return true
      case (0xE0, 0xA0...0xA3), (0xEF, 0xAC...0xB7), (0xEF, 0xB9...0xBB): return true
      default: previous = byte
      }
    }
    return false
  }

  /// Numbers with a word in Latin letters behind them, such as `500 ml` and `180 °C`.
  ///
  /// By the rules for directions, a number that follows a word in Arabic changes places with the unit behind it.
  var quantities: [Range<Index>] {
    var found: [Range<Index>] = []
    var index = startIndex
    let bytes = utf8
    while let start = bytes[index...].firstIndex(where: CodeScanner.isDigit) {
      var end = start
      while end < endIndex, CodeScanner.isDigit(bytes[end]) || ".,".utf8.contains(bytes[end]) {
        end = bytes.index(after: end)
      }
      index = end
      if end < endIndex, bytes[end] == 0x20 { end = bytes.index(after: end) }
      // A degree sign is of two bytes.
      if end < endIndex, bytes[end...].starts(with: "°".utf8) {
        end = bytes.index(end, offsetBy: 2)
      }
      let unit = end
      while end < endIndex, 0x41...0x5A ~= bytes[end] & 0xDF || "/%".utf8.contains(bytes[end]) {
        end = bytes.index(after: end)
      }
      guard unit < end else { continue }
      found.append(start..<end)
      index = end
    }
    return found
  }
}
