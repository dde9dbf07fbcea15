/// Looks at eight bytes of a JSON string, or of any text, at once.
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

  /// The same for 32 bytes: not zero where one of them is special, and which one is left open.
  @inline(__always)
  static func specials(in words: SIMD4<UInt64>) -> UInt64 {
    let ones = SIMD4(repeating: Self.ones)
    let quotes = (words ^ (ones &* 0x22)) &- ones
    let backslashes = (words ^ (ones &* 0x5C)) &- ones
    let controls = words &- (ones &* 0x20)
    let found = (quotes | backslashes | controls) & ~words & (ones &* 0x80)
    return (found[0] | found[1]) | (found[2] | found[3])
  }

  /// The high bit of each byte that is this one, an ASCII letter or sign; only the lowest set bit is exact.
  @inline(__always)
  static func matches(_ byte: UInt8, in word: UInt64) -> UInt64 {
    ((word ^ (ones &* UInt64(byte))) &- ones) & ~word & highBits
  }

  /// 32 bytes, in the machine's byte order. Traps when they are not all there.
  @inline(__always)
  static func loadFour(_ bytes: RawSpan, at offset: Int) -> SIMD4<UInt64> {
    bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: SIMD4<UInt64>.self)
  }

  /// Whether a byte can't stand for itself inside a string.
  @inline(__always)
  static func isSpecial(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }
}
