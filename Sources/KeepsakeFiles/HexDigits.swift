/// Reads hexadecimal digits, eight at a time.
package enum HexDigits {
  /// Returns the number that eight digits spell; nil where one of the eight characters is no digit, or the text ends before.
  ///
  /// - Parameters:
  ///   - text: The text that has the digits.
  ///   - first: The offset of the first four digits.
  ///   - second: The offset of the last four digits; nil if they follow the first four.
  ///   - takesCapitals: Whether A to F are digits, too.
  @inline(__always)
  package static func number(
    in text: RawSpan, at first: Int, and second: Int? = nil, takesCapitals: Bool = true
  ) -> UInt32? {
    let second = second ?? first + 4
    guard first >= 0, second >= 0, first + 4 <= text.byteCount, second + 4 <= text.byteCount
    else { return nil }
    let high = unsafe text.unsafeLoadUnaligned(fromByteOffset: first, as: UInt32.self)
    let low = unsafe text.unsafeLoadUnaligned(fromByteOffset: second, as: UInt32.self)
    return number(
      UInt64(UInt32(bigEndian: high)) << 32 | UInt64(UInt32(bigEndian: low)),
      takesCapitals: takesCapitals)
  }

  /// Returns the number that a word's eight characters spell. The first character is in the highest byte.
  @inline(__always)
  private static func number(_ word: UInt64, takesCapitals: Bool) -> UInt32? {
    // No character of a text in ASCII has the highest bit of its byte, so that no sum below carries into the next byte.
    guard word & tops == 0 else { return nil }
    let letters = takesCapitals ? word | every(0x20) : word
    let areDigits = reaches("0", word) & ~reaches(":", word)
    let areLetters = reaches("a", letters) & ~reaches("g", letters)
    guard (areDigits | areLetters) & tops == tops else { return nil }
    // A digit has its value in its lower half. A letter has there 1 for A, and bit 6 beside it.
    let values = (word & every(0x0F)) + (word >> 6 & every(0x01)) * 9
    let pairs = (values | values >> 4) & 0x00FF_00FF_00FF_00FF
    let quads = (pairs | pairs >> 8) & 0x0000_FFFF_0000_FFFF
    return UInt32(truncatingIfNeeded: quads | quads >> 16)
  }

  /// Sets the highest bit of each byte whose character is the given one, or one behind it.
  @inline(__always)
  private static func reaches(_ character: Unicode.Scalar, _ word: UInt64) -> UInt64 {
    word &+ every(0x80 - UInt64(character.value))
  }

  /// Returns a word that has a byte eight times.
  @inline(__always)
  private static func every(_ byte: UInt64) -> UInt64 { byte &* 0x0101_0101_0101_0101 }

  private static let tops: UInt64 = 0x8080_8080_8080_8080
}
