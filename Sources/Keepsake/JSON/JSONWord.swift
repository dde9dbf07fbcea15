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
  /// from one above none. With its second bit turned a quote is what follows the control characters, among which none
  /// becomes anything else.
  @inline(__always)
  static func specials(in word: UInt64) -> UInt64 {
    let quotesAndControls = (word ^ (ones &* 0x02)) &- (ones &* 0x21)
    let backslashes = (word ^ (ones &* 0x5C)) &- ones
    return (quotesAndControls | backslashes) & ~word & highBits
  }

  /// The same for 32 bytes: not zero where one of them is special, and which one is left open.
  @inline(__always)
  static func specials(in words: SIMD4<UInt64>) -> UInt64 {
    folded(marks(in: words)) & highBits
  }

  /// As ``specials(in:)``, with bits below the high ones that mean nothing.
  @inline(__always)
  private static func marks(in words: SIMD4<UInt64>) -> SIMD4<UInt64> {
    let ones = SIMD4(repeating: Self.ones)
    let quotesAndControls = (words ^ (ones &* 0x02)) &- (ones &* 0x21)
    let backslashes = (words ^ (ones &* 0x5C)) &- ones
    return (quotesAndControls | backslashes) & ~words
  }

  @inline(__always)
  private static func folded(_ words: SIMD4<UInt64>) -> UInt64 {
    (words[0] | words[1]) | (words[2] | words[3])
  }

  /// Passes bytes that stand for themselves, 64 or 32 at once; those from the offset on that it gives may be some, too.
  ///
  /// Notes what it passed as seen, in whatever order: whether all of it is ASCII can be told from that.
  @inline(__always)
  static func passPlain(_ bytes: RawSpan, from offset: Int, _ seen: inout UInt64) -> Int {
    let count = bytes.byteCount
    var cursor = offset
    var passed = SIMD4<UInt64>()
    while cursor + 64 <= count {
      let (first, second) = (loadFour(bytes, at: cursor), loadFour(bytes, at: cursor + 32))
      if folded(marks(in: first) | marks(in: second)) & highBits != 0 { break }
      passed |= first | second
      cursor += 64
    }
    while cursor + 32 <= count {
      let words = loadFour(bytes, at: cursor)
      if specials(in: words) != 0 { break }
      passed |= words
      cursor += 32
    }
    seen |= folded(passed)
    return cursor
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
