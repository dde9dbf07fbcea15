extension JSONReader {
  /// Returns the offset of the first byte from `start` to `end` that is not valid UTF-8; nil if all are.
  ///
  /// The masks are those of table 3-7 of the Unicode standard, with the lead byte lowest.
  func firstInvalidUTF8(from start: Int, to end: Int) -> Int? {
    var offset = start
    while offset < end {
      if offset + 8 <= end {
        let high = JSONWord.load(bytes, at: offset) & JSONWord.highBits
        if high == 0 {
          offset += 8
          continue
        }
        offset += high.trailingZeroBitCount >> 3
      } else if byte(at: offset) < 0x80 {
        offset += 1
        continue
      }
      // A run of another script is passed without looking for ASCII in between.
      repeat {
        if offset + 8 <= end, isPairOfThree(JSONWord.load(bytes, at: offset)) {
          offset += 6
          continue
        }
        let length = sequenceLength(at: offset, end: end)
        if length == 0 { return offset }
        offset += length
      } while offset < end && byte(at: offset) >= 0x80
    }
    return nil
  }

  /// Returns whether a word begins with two well-formed sequences of three bytes, as most CJK text does.
  @inline(__always)
  private func isPairOfThree(_ word: UInt64) -> Bool {
    guard word & 0xC0C0_F0C0_C0F0 == 0x8080_E080_80E0 else { return false }
    let first = word & 0x200F
    let second = word >> 24 & 0x200F
    return first != 0 && first != 0x200D && second != 0 && second != 0x200D
  }

  /// Returns the length of the well-formed sequence of two to four bytes at an offset; 0 if there is none.
  @inline(__always)
  private func sequenceLength(at offset: Int, end: Int) -> Int {
    let word = fourBytes(at: offset, end: end)
    if word & 0x00C0_C0F0 == 0x0080_80E0 {
      let lead = word & 0x200F
      return lead != 0 && lead != 0x200D ? 3 : 0  // overlong, surrogate
    }
    if word & 0xC0E0 == 0x80C0 {
      return word & 0x1E != 0 ? 2 : 0  // overlong
    }
    if word & 0xC0C0_C0F8 == 0x8080_80F0 {
      let lead = word & 0x07
      let isInRange = lead < 4 || (lead == 4 && word & 0x3000 == 0)
      return word & 0x3007 != 0 && isInRange ? 4 : 0
    }
    return 0
  }

  /// Returns four bytes, the first in the lowest place, with zeros from `end` on.
  @inline(__always)
  private func fourBytes(at offset: Int, end: Int) -> UInt32 {
    if offset + 4 <= end {
      return UInt32(
        littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    var word: UInt32 = 0
    for index in offset..<end { word |= UInt32(byte(at: index)) << UInt32(8 * (index - offset)) }
    return word
  }
}
