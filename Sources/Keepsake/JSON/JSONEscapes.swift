/// Decodes strings with escapes, a word at a time between them.
enum JSONEscapes {
  /// Decodes a string up to its closing quote into a buffer.
  ///
  /// `bytes` begin after the opening quote, and the first `plain` bytes are known to be without escapes. The buffer grows when
  /// it is too small, and never shrinks. The result is nil if there is a control character, a wrong escape or no quote; the
  /// caller has to check UTF-8. `isASCII` covers the bytes after the plain ones.
  static func decode(
    _ bytes: RawSpan, plain: Int = 0, into buffer: inout [UInt8]
  ) -> (quote: Int, length: Int, isASCII: Bool)? {
    let count = bytes.byteCount
    // No escape is shorter than the character it stands for. The extra room is needed because whole words are stored.
    if buffer.count < count + room { buffer = [UInt8](repeating: 0, count: count + room) }
    var span = buffer.mutableSpan
    var target = span.mutableBytes
    return decode(bytes, plain: plain, into: &target)
  }

  /// The number of bytes that a target must have beyond the bytes to decode.
  static let room = 32

  /// Decodes a string up to its closing quote into memory that is large enough.
  static func decode(
    _ bytes: RawSpan, plain: Int = 0, into target: inout MutableRawSpan
  ) -> (quote: Int, length: Int, isASCII: Bool)? {
    let count = bytes.byteCount
    var length = copy(plain, of: bytes, into: &target)
    var cursor = length
    var seen: UInt64 = 0
    while true {
      if cursor + 32 <= count {
        let words = JSONWord.loadFour(bytes, at: cursor)
        target.storeBytes(of: words, toByteOffset: length, as: FourWords.self)
        if !words.hasSpecial {
          seen |= words.folded
          length += 32
          cursor += 32
          continue
        }
        let plain = plainBytes(of: words, &seen)
        length += plain
        cursor += plain
      } else if cursor + 8 <= count {
        let word = JSONWord.load(bytes, at: cursor)
        let special = JSONWord.specials(in: word)
        target.storeBytes(of: word.littleEndian, toByteOffset: length, as: UInt64.self)
        if special == 0 {
          // This is a branch, so that the next word is loaded before this one is examined.
          seen |= word
          length += 8
          cursor += 8
          continue
        }
        seen |= word & (special &- 1)  // The bytes below the special byte.
        let plain = special.trailingZeroBitCount >> 3
        length += plain
        cursor += plain
      }
      let next = byte(bytes, cursor)
      if next == UInt8(ascii: "\\") {
        guard let end = decodeOne(bytes, at: cursor, into: &target, at: &length) else {
          return nil
        }
        cursor = end
      } else if next == UInt8(ascii: "\"") {
        return (cursor, length, seen & JSONWord.highBits == 0)
      } else if next < 0x20 {
        return nil
      } else {
        seen |= UInt64(next)
        target.storeBytes(of: next, toByteOffset: length, as: UInt8.self)
        length += 1
        cursor += 1
      }
    }
  }

  /// Counts the bytes before the first special one in four words with a special byte, and notes them as seen.
  @inline(__always)
  private static func plainBytes(of words: FourWords, _ seen: inout UInt64) -> Int {
    var plain = 0
    for index in 0..<4 {
      let word = UInt64(littleEndian: words[index])
      let special = JSONWord.specials(in: word)
      if special != 0 {
        seen |= word & (special &- 1)
        return plain + special.trailingZeroBitCount >> 3
      }
      seen |= word
      plain += 8
    }
    return plain
  }

  /// Copies the given number of first bytes, and returns it.
  @inline(__always)
  private static func copy(
    _ plain: Int, of bytes: RawSpan, into target: inout MutableRawSpan
  ) -> Int {
    var cursor = 0
    while cursor < plain, cursor + 32 <= bytes.byteCount {
      let words = JSONWord.loadFour(bytes, at: cursor)
      target.storeBytes(of: words, toByteOffset: cursor, as: FourWords.self)
      cursor += 32
    }
    while cursor < plain {
      target.storeBytes(of: byte(bytes, cursor), toByteOffset: cursor, as: UInt8.self)
      cursor += 1
    }
    return plain
  }

  /// Stores the character of the escape at an offset, and returns the offset after the escape.
  @inline(__always)
  private static func decodeOne(
    _ bytes: RawSpan, at offset: Int, into target: inout MutableRawSpan, at length: inout Int
  ) -> Int? {
    let letter = byte(bytes, offset + 1)
    let plain: UInt8
    switch letter {
    case UInt8(ascii: "n"): plain = 0x0A
    case UInt8(ascii: "t"): plain = 0x09
    case UInt8(ascii: "r"): plain = 0x0D
    case UInt8(ascii: "b"): plain = 0x08
    case UInt8(ascii: "f"): plain = 0x0C
    case UInt8(ascii: "u"):
      guard let (scalar, end) = unicodeEscape(bytes, at: offset) else { return nil }
      for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
        target.storeBytes(of: unit, toByteOffset: length, as: UInt8.self)
        length += 1
      }
      return end
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain = letter
    default: return nil
    }
    target.storeBytes(of: plain, toByteOffset: length, as: UInt8.self)
    length += 1
    return offset + 2
  }

  /// Returns the scalar of one `\u` escape, or of two that are a surrogate pair, and the offset after it.
  private static func unicodeEscape(
    _ bytes: RawSpan, at offset: Int
  ) -> (Unicode.Scalar, end: Int)? {
    guard let unit = unit(bytes, at: offset + 2) else { return nil }
    let end = offset + 6
    if unit & 0xFC00 == 0xD800, byte(bytes, end) == UInt8(ascii: "\\"),
      byte(bytes, end + 1) == UInt8(ascii: "u")
    {
      guard let low = self.unit(bytes, at: end + 2) else { return nil }
      let pair = 0x10000 + (unit & 0x3FF) << 10 + (low & 0x3FF)
      if low & 0xFC00 == 0xDC00, let scalar = Unicode.Scalar(pair) { return (scalar, end + 6) }
    }
    return (Unicode.Scalar(unit) ?? "\u{FFFD}", end)
  }

  /// Returns the UTF-16 code unit that four hexadecimal digits spell; nil for other characters.
  private static func unit(_ bytes: RawSpan, at offset: Int) -> UInt32? {
    var unit: UInt32 = 0
    for index in offset..<offset + 4 {
      guard let digit = digit(byte(bytes, index)) else { return nil }
      unit = unit << 4 | digit
    }
    return unit
  }

  /// Returns the value of a hexadecimal digit; nil for other characters.
  @inline(__always)
  static func digit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  /// Returns the byte at an offset; past the end it returns 0, which no string contains.
  @inline(__always)
  private static func byte(_ bytes: RawSpan, _ offset: Int) -> UInt8 {
    offset < bytes.byteCount ? bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) : 0
  }
}
