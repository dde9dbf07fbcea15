/// Examines eight bytes of a JSON string, or of other text, at once.
enum JSONWord {
  static var ones: UInt64 { 0x0101_0101_0101_0101 }
  static var highBits: UInt64 { 0x8080_8080_8080_8080 }

  /// Loads eight bytes, the first in the lowest place; all of them must be there.
  @inline(__always)
  static func load(_ bytes: RawSpan, at offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// Returns the high bit of each byte that is a quote, a backslash or a control character.
  ///
  /// Only the lowest set bit is exact: a subtraction borrows from the byte above a match, and never without a match below.
  /// Flipping the second bit of a quote makes it the byte after the control characters, and keeps control characters among
  /// themselves.
  @inline(__always)
  static func specials(in word: UInt64) -> UInt64 {
    let quotesAndControls = (word ^ (ones &* 0x02)) &- (ones &* 0x21)
    let backslashes = (word ^ (ones &* 0x5C)) &- ones
    return (quotesAndControls | backslashes) & ~word & highBits
  }

  /// Skips bytes that are not special, 32 at a time, and returns the offset where it stopped, which may be too early.
  ///
  /// The skipped bytes are collected in `seen`, in any order, to tell whether all of them are ASCII.
  @inline(__always)
  static func passPlain(_ bytes: RawSpan, from offset: Int, _ seen: inout UInt64) -> Int {
    let count = bytes.byteCount
    var cursor = offset
    var passed: UInt64 = 0
    while cursor + 32 <= count {
      let words = loadFour(bytes, at: cursor)
      if words.hasSpecial { break }
      passed |= words.folded
      cursor += 32
    }
    seen |= passed
    return cursor
  }

  /// Returns the high bit of each byte that equals an ASCII character; only the lowest set bit is exact.
  @inline(__always)
  static func matches(_ byte: UInt8, in word: UInt64) -> UInt64 {
    ((word ^ (ones &* UInt64(byte))) &- ones) & ~word & highBits
  }

  /// Loads 32 bytes in the machine's byte order; all of them must be there.
  @inline(__always)
  static func loadFour(_ bytes: RawSpan, at offset: Int) -> FourWords {
    bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: FourWords.self)
  }

  /// Returns whether a byte must be escaped inside a string, or ends it.
  @inline(__always)
  static func isSpecial(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }
}
