/// A line of text as units in which all spellings of a name are equal.
///
/// A unit is a character, after undoing percent-encoding, the escapes of JSON, Markdown and HTML, Windows separators and
/// canonical equivalence. Each unit knows the bytes that spell it. Making and searching a line takes time linear to its length.
struct SpelledText {
  /// A character with the bytes that spell it.
  struct Unit {
    /// The ASCII character, or a hash that canonically equivalent characters share, with the word class in higher bits.
    var code: UInt64
    let start: UInt32
    /// The end, doubled, plus 1 if an escape spells the character.
    private var endAndFlag: UInt32

    init(code: UInt64, start: Int, end: Int, isEncoded: Bool) {
      self.code = code
      self.start = UInt32(start)
      endAndFlag = UInt32(end) << 1 | (isEncoded ? 1 : 0)
    }

    var end: Int {
      get { Int(endAndFlag >> 1) }
      set { endAndFlag = UInt32(newValue) << 1 | endAndFlag & 1 }
    }

    /// Tells whether percent-encoding spells the character, so that it is a part of a name and not a border.
    var isEncoded: Bool { endAndFlag & 1 == 1 }

    var wordClass: WordClass { SpelledText.wordClass(code) }
  }

  /// The classes of characters that form words; a name does not end inside of a run of one class.
  enum WordClass: UInt64 {
    case none = 0
    /// Letters and digits of scripts with spaces between words.
    case word = 1
    /// Letters of scripts without spaces between words.
    case wide = 2
  }

  private(set) var units: [Unit] = []
  private var authority = Authority.none

  /// The part of a URL that is being read; everything before the path, as in `HTTP://Example.com/A`, ignores case.
  private enum Authority { case none, slashes, host }

  /// The most bytes of a line that are read at once; longer lines are read in pieces.
  static let limit = 1 << 24

  static func wordClass(_ code: UInt64) -> WordClass {
    if code < 0x80 { return isWordByte(UInt8(code)) ? .word : .none }
    return WordClass(rawValue: code >> 60 & 3) ?? .none
  }

  static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// Returns the units of a name.
  static func codes(_ name: String) -> [UInt64] {
    var text = SpelledText()
    let bytes = Array(name.utf8.prefix(limit))
    text.read(bytes, bytes.indices)
    return text.units.map(\.code)
  }

  /// Reads a part of a text, replacing the units of the part before.
  mutating func read(_ bytes: [UInt8], _ range: Range<Int>) {
    units.removeAll(keepingCapacity: true)
    authority = .none
    var reader = SpellingReader(bytes: bytes, end: range.upperBound, offset: range.lowerBound)
    while let next = reader.next() {
      let start = next.start - range.lowerBound
      let end = reader.offset - range.lowerBound
      append(next.code, start: start, end: end, isEncoded: next.isEncoded)
      if next.code == UInt64(UInt8(ascii: ":")), !next.isEncoded, reader.isAtSlash {
        foldScheme()
        authority = reader.isAtAuthority ? .slashes : .none
      }
    }
  }

  private mutating func append(_ code: UInt64, start: Int, end: Int, isEncoded: Bool) {
    let slash = UInt64(UInt8(ascii: "/"))
    guard code == slash else {
      var code = code
      switch authority {
      case .none: break
      case .slashes: authority = .host
      case .host: if !Self.isHost(code) { authority = .none }
      }
      if authority == .host { code = Self.folded(code) }
      units.append(Unit(code: code, start: start, end: end, isEncoded: isEncoded))
      return
    }
    if authority == .host { authority = .none }
    let dot = UInt64(UInt8(ascii: "."))
    // `/./` means the same as `/`.
    if units.count >= 2, units[units.count - 1].code == dot, units[units.count - 2].code == slash {
      units.removeLast()
    }
    if let last = units.last, last.code == slash {
      units[units.count - 1].end = end
    } else {
      units.append(Unit(code: code, start: start, end: end, isEncoded: isEncoded))
    }
  }

  /// Converts the scheme or drive before the colon that was just read to lower case.
  private mutating func foldScheme() {
    var index = units.count - 2
    while index >= 0, units.count - index <= 16, units[index].wordClass == .word,
      units[index].code < 0x80
    {
      units[index].code = Self.folded(units[index].code)
      index -= 1
    }
  }

  private static func folded(_ code: UInt64) -> UInt64 {
    (UInt64(UInt8(ascii: "A"))...UInt64(UInt8(ascii: "Z"))).contains(code) ? code | 0x20 : code
  }

  private static func isHost(_ code: UInt64) -> Bool {
    guard code < 0x80 else { return wordClass(code) != .none }
    return isWordByte(UInt8(code)) || "-.:@[]%".utf8.contains(UInt8(code))
  }
}
