/// Eight ASCII characters, folded together for speed.
struct FoldedASCII {
  /// The folded characters, the first in the lowest byte: lower-case letters and digits, and a space for each other character.
  let bytes: UInt64
  /// A mask with the high bit of each byte that is a letter or a digit.
  let letters: UInt64

  /// Folds eight characters.
  ///
  /// - Parameter word: Eight bytes, all below 128.
  init(_ word: UInt64) {
    let capitals = Self.within(UInt8(ascii: "A")...UInt8(ascii: "Z"), word)
    let folded = word | capitals >> 2
    letters =
      Self.within(UInt8(ascii: "a")...UInt8(ascii: "z"), folded)
      | Self.within(UInt8(ascii: "0")...UInt8(ascii: "9"), folded)
    let mask = (letters >> 7) &* 0xFF
    bytes = folded & mask | Self.repeated(UInt8(ascii: " ")) & ~mask
  }

  var endsInLetter: Bool { letters >> 63 != 0 }

  /// Returns a mask with the high bit of each sign that does not end a word, such as the second of two spaces.
  func idleSigns(isInside: Bool) -> UInt64 {
    let signs = ~letters & JSONWord.highBits
    return signs & (signs << 8 | (isInside ? 0 : 0x80))
  }

  /// Writes the words, each followed by a space, and advances the offset.
  ///
  /// - Parameters:
  ///   - room: The memory, with at least eight bytes after the offset.
  ///   - offset: The offset at which to write.
  ///   - idle: The mask of the signs to leave out.
  func write(to room: inout MutableRawSpan, at offset: inout Int, without idle: UInt64) {
    if idle == 0 {
      room.storeBytes(of: bytes.littleEndian, toByteOffset: offset, as: UInt64.self)
      offset += 8
      return
    }
    var (bytes, idle) = (bytes, idle)
    for _ in 0..<8 {
      // A sign to leave out is written as well, and then overwritten.
      room.storeBytes(of: UInt8(truncatingIfNeeded: bytes), toByteOffset: offset, as: UInt8.self)
      offset += 1 - Int(idle >> 7 & 1)
      bytes >>= 8
      idle >>= 8
    }
  }

  /// Returns a mask of the bytes in a range; no sum carries into the next byte, because all bytes are below 128.
  private static func within(_ range: ClosedRange<UInt8>, _ word: UInt64) -> UInt64 {
    let reach = word &+ repeated(0x80 - range.lowerBound)
    let exceed = word &+ repeated(0x7F - range.upperBound)
    return reach & ~exceed & JSONWord.highBits
  }

  private static func repeated(_ byte: UInt8) -> UInt64 { JSONWord.ones &* UInt64(byte) }
}
