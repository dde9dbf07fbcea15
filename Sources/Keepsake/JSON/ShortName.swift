import KeepsakeFiles

/// A name of at most 16 bytes in UTF-8, as integers, so that it is compared with others at once.
struct ShortName: Sendable, Equatable {
  private var words: (UInt64, UInt64) = (0, 0)
  private let count: Int

  /// The most bytes of a name.
  static let limit = 16

  /// Creates a name from its UTF-8; nil for a longer one.
  init?(_ utf8: RawSpan) {
    count = utf8.byteCount
    guard count <= Self.limit else { return nil }
    if count < 8 {
      for index in 0..<count { words.0 |= Self.byte(utf8, index) << (8 * index) }
    } else {
      words.0 = Self.word(utf8, 0)
      // The second word is the last eight bytes of the name, without the bytes that the first word has already.
      if count > 8 { words.1 = Self.word(utf8, count - 8) >> (8 * (16 - count)) }
    }
  }

  init?(_ name: String) {
    guard let name = name.withUTF8Bytes({ ShortName($0) }) else { return nil }
    self = name
  }

  private static func byte(_ utf8: RawSpan, _ index: Int) -> UInt64 {
    UInt64(utf8.unsafeLoad(fromByteOffset: index, as: UInt8.self))
  }

  private static func word(_ utf8: RawSpan, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: utf8.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  static func == (first: ShortName, second: ShortName) -> Bool {
    first.words == second.words && first.count == second.count
  }
}

extension JSONReader {
  /// The name of the current member; nil if the name is longer than a short one.
  mutating func shortKey() -> ShortName? {
    if currentKey.hasEscape {
      let length = decode(currentKey)
      return ShortName(scratch.span.bytes.extracting(0..<length))
    }
    return ShortName(bytes.extracting(currentKey.start..<currentKey.end))
  }
}
