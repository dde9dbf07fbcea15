/// Looks at eight bytes of a JSON string at once.
enum JSONWord {
  static var ones: UInt64 { 0x0101_0101_0101_0101 }
  static var highBits: UInt64 { 0x8080_8080_8080_8080 }

  /// Eight bytes, the first of them lowest. Traps when they are not all there.
  @inline(__always)
  static func load(_ bytes: RawSpan, at offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// The high bit of each byte that is a quote, a backslash or a control character.
  ///
  /// Only the lowest set bit is exact: a subtraction borrows from the byte above a match, never
  /// from one above none.
  @inline(__always)
  static func specials(in word: UInt64) -> UInt64 {
    let quotes = (word ^ (ones &* 0x22)) &- ones
    let backslashes = (word ^ (ones &* 0x5C)) &- ones
    let controls = word &- (ones &* 0x20)
    return (quotes | backslashes | controls) & ~word & highBits
  }

  /// Whether a byte can't stand for itself inside a string.
  @inline(__always)
  static func isSpecial(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }
}
