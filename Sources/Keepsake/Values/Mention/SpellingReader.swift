/// Reads the characters of a text one by one, undoing escapes.
struct SpellingReader {
  let bytes: [UInt8]
  let end: Int
  private(set) var offset: Int

  init(bytes: [UInt8], end: Int, offset: Int) {
    self.bytes = bytes
    self.end = end
    self.offset = offset
  }

  /// The code of an unreadable character, which equals no character of a name.
  private static let other: UInt64 = 1 << 63 | SpelledText.WordClass.word.rawValue << 60
  /// The most marks on one letter; further marks are read as separate characters, and no name has them.
  private static let markLimit = 16

  private func byte(_ index: Int) -> UInt8 { index < end ? bytes[index] : 0 }

  /// Tells whether a slash or backslash follows.
  var isAtSlash: Bool { isSlash(offset) }

  /// Tells whether exactly two slashes follow.
  var isAtAuthority: Bool { isSlash(offset) && isSlash(offset + 1) && !isSlash(offset + 2) }

  private func isSlash(_ index: Int) -> Bool {
    byte(index) == UInt8(ascii: "/") || byte(index) == UInt8(ascii: "\\")
  }

  /// Returns the next character; nil at the end. Invisible characters are skipped.
  mutating func next() -> (code: UInt64, start: Int, isEncoded: Bool)? {
    while offset < end {
      let start = offset
      let first = bytes[offset]
      if first < 0x80, first != UInt8(ascii: "%"), first != UInt8(ascii: "\\"),
        first != UInt8(ascii: "&"), !isMarked(offset + 1)
      {
        offset += 1
        return (UInt64(first), start, false)
      }
      let (scalar, length, isEncoded) = spelled(at: offset)
      offset += length
      guard let scalar else { return (Self.other, start, isEncoded) }
      if scalar.isInvisible { continue }
      return (code(from: scalar), start, isEncoded)
    }
    return nil
  }

  /// Tells whether a byte may begin a mark on the ASCII character before it.
  private func isMarked(_ index: Int) -> Bool {
    byte(index) >= 0x80
      || (byte(index) == UInt8(ascii: "%") && byte(index + 1) >= UInt8(ascii: "8"))
      || (byte(index) == UInt8(ascii: "\\") && byte(index + 1) == UInt8(ascii: "u"))
  }

  /// Returns the code of a character that begins with a scalar, and reads the marks that follow.
  private mutating func code(from scalar: Unicode.Scalar) -> UInt64 {
    var cluster = String(scalar)
    var marks = 0
    while offset < end, isMarked(offset), marks < Self.markLimit {
      let (mark, length, _) = spelled(at: offset)
      guard let mark, mark.continuesCharacter else { break }
      cluster.unicodeScalars.append(mark)
      offset += length
      marks += 1
    }
    if marks == 0 {
      if scalar.isASCII { return UInt64(scalar.value) }
      if scalar.properties.generalCategory == .spaceSeparator { return UInt64(UInt8(ascii: " ")) }
    }
    var hasher = Hasher()
    hasher.combine(cluster)
    let hash = UInt64(truncatingIfNeeded: hasher.finalize()) & (1 << 60 - 1)
    return 1 << 63 | scalar.wordClass.rawValue << 60 | hash
  }

  /// Returns the scalar at an offset, the number of bytes that spell it, and whether percent-encoding does.
  private func spelled(at index: Int) -> (scalar: Unicode.Scalar?, length: Int, isEncoded: Bool) {
    switch byte(index) {
    case UInt8(ascii: "%"):
      guard let first = percentByte(at: index) else { return ("%", 1, false) }
      if first.byte < 0x80 { return (Unicode.Scalar(first.byte), first.length, true) }
      let count = first.byte >= 0xF0 ? 4 : first.byte >= 0xE0 ? 3 : 2
      var sequence = [first.byte]
      var length = first.length
      while sequence.count < count, let next = percentByte(at: index + length) {
        sequence.append(next.byte)
        length += next.length
      }
      guard let text = String(validating: sequence, as: UTF8.self),
        let scalar = text.unicodeScalars.first, text.unicodeScalars.count == 1
      else { return (nil, first.length, true) }
      return (scalar, length, true)
    case UInt8(ascii: "\\"): return backslash(at: index)
    case UInt8(ascii: "&"):
      for (name, scalar) in Self.entities where spells(name, at: index) {
        return (scalar, name.utf8.count, false)
      }
      return ("&", 1, false)
    case let first where first < 0x80: return (Unicode.Scalar(first), 1, false)
    case let first:
      let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
      let sequence = bytes[index..<min(end, index + length)]
      return (String(decoding: sequence, as: UTF8.self).unicodeScalars.first, sequence.count, false)
    }
  }

  /// Reads a backslash, as a Windows separator or as an escape of JSON or Markdown.
  private func backslash(at index: Int) -> (Unicode.Scalar?, Int, Bool) {
    let next = byte(index + 1)
    switch next {
    case UInt8(ascii: "\\"), UInt8(ascii: "/"): return ("/", 2, false)
    case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"): return (" ", 2, false)
    case UInt8(ascii: "u"):
      guard let unit = unit(at: index) else { return ("/", 1, false) }
      if unit & 0xFC00 == 0xD800, let low = self.unit(at: index + 6), low & 0xFC00 == 0xDC00 {
        return (Unicode.Scalar(0x10000 + (unit & 0x3FF) << 10 + (low & 0x3FF)), 12, false)
      }
      return (Unicode.Scalar(unit), 6, false)
    case 0x21...0x7E where !SpelledText.isWordByte(next) || next == UInt8(ascii: "_"):
      return (Unicode.Scalar(next), 2, false)
    default: return ("/", 1, false)
    }
  }

  /// Returns the UTF-16 unit of a `\u` escape with four hexadecimal digits; nil if there is none.
  private func unit(at index: Int) -> UInt32? {
    guard byte(index) == UInt8(ascii: "\\"), byte(index + 1) == UInt8(ascii: "u") else {
      return nil
    }
    var unit: UInt32 = 0
    for place in index + 2..<index + 6 {
      guard let digit = JSONEscapes.digit(byte(place)) else { return nil }
      unit = unit << 4 | digit
    }
    return unit
  }

  /// Returns the byte of a `%XX`, even if it was encoded repeatedly: `%2520` is a space as well.
  private func percentByte(at index: Int) -> (byte: UInt8, length: Int)? {
    guard byte(index) == UInt8(ascii: "%") else { return nil }
    var place = index + 1
    while let value = hexByte(at: place) {
      if value == UInt8(ascii: "%"), hexByte(at: place + 2) != nil {
        place += 2
      } else {
        return (value, place + 2 - index)
      }
    }
    return nil
  }

  private func hexByte(at index: Int) -> UInt8? {
    guard let high = JSONEscapes.digit(byte(index)), let low = JSONEscapes.digit(byte(index + 1))
    else { return nil }
    return UInt8(high << 4 | low)
  }

  private func spells(_ name: String, at index: Int) -> Bool {
    index + name.utf8.count <= end
      && bytes[index..<index + name.utf8.count].elementsEqual(name.utf8)
  }

  private static let entities: [(String, Unicode.Scalar)] = [
    ("&amp;", "&"), ("&quot;", "\""), ("&#34;", "\""), ("&apos;", "'"), ("&#39;", "'"),
    ("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", " "), ("&#32;", " "), ("&#x27;", "'"), ("&#47;", "/"),
  ]
}

extension Unicode.Scalar {
  /// Tells whether the scalar is invisible and no part of a name: a zero-width, bidirectional or tag character.
  fileprivate var isInvisible: Bool {
    switch value {
    case 0xAD, 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x2069, 0xFE00...0xFE0F, 0xFEFF,
      0xE0000...0xE007F:
      true
    default: false
    }
  }

  /// Tells whether the scalar is a mark on the character before it, or a part of a Hangul syllable.
  fileprivate var continuesCharacter: Bool {
    if value < 0x300 { return false }
    if (0x1160...0x11FF).contains(value) { return true }
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: return !isInvisible
    default: return false
    }
  }

  fileprivate var wordClass: SpelledText.WordClass {
    guard properties.isAlphabetic || properties.numericType != nil else { return .none }
    switch value {
    case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x2E80...: return .wide
    default: return .word
    }
  }
}
