/// Eight ASCII characters, folded at once.
struct FoldedASCII {
  /// The first of them lowest: letters in lower case and digits as they are, and a space for each other one.
  let bytes: UInt64
  /// The high bit of each that is a letter or a digit.
  let letters: UInt64

  /// - Parameter word: Eight bytes, none of them above 127.
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

  /// The high bit of each that is neither letter nor digit and does not end a word.
  func idleSigns(isInside: Bool) -> UInt64 {
    let signs = ~letters & JSONWord.highBits
    return signs & (signs << 8 | (isInside ? 0 : 0x80))
  }

  /// Writes the words, with a space behind each, and moves the offset on.
  /// - Parameters:
  ///   - room: Has at least eight bytes from the offset on.
  ///   - idle: The signs to leave out.
  func write(to room: inout MutableRawSpan, at offset: inout Int, without idle: UInt64) {
    if idle == 0 {
      room.storeBytes(of: bytes.littleEndian, toByteOffset: offset, as: UInt64.self)
      offset += 8
      return
    }
    var (bytes, idle) = (bytes, idle)
    for _ in 0..<8 {
      // What is left out is written, too, and then written over.
      room.storeBytes(of: UInt8(truncatingIfNeeded: bytes), toByteOffset: offset, as: UInt8.self)
      offset += 1 - Int(idle >> 7 & 1)
      bytes >>= 8
      idle >>= 8
    }
  }

  /// The high bit of each byte in a range; no sum carries into the next byte, because all are below 128.
  private static func within(_ range: ClosedRange<UInt8>, _ word: UInt64) -> UInt64 {
    let reach = word &+ repeated(0x80 - range.lowerBound)
    let exceed = word &+ repeated(0x7F - range.upperBound)
    return reach & ~exceed & JSONWord.highBits
  }

  private static func repeated(_ byte: UInt8) -> UInt64 { JSONWord.ones &* UInt64(byte) }
}
