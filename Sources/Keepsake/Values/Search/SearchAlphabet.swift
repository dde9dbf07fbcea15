/// Tells for each character how search treats it, and to which characters it folds.
///
/// The alphabet is built from `SearchTables` when it is first used, and never from the runtime's own Unicode tables, because an
/// index must mean the same on every machine that opens the store.
struct SearchAlphabet: Sendable {
  static let current = SearchAlphabet()

  /// The ways in which search treats a character.
  enum Kind: UInt32 {
    /// The character ends a token.
    case separator
    /// The character is part of a token.
    case word
    /// The character is a token by itself.
    case single
    /// The character is left out, and does not end a token.
    case dropped
  }

  /// For each ASCII character, the lower-case letter or digit, or zero.
  let ascii: [UInt8]

  /// The number of each block of 128 characters in `entries`.
  ///
  /// An entry packs the kind of a character, the number of characters to which it folds (0 for itself), and that character, or
  /// the index in `targets` if there are several.
  private var blocks: [UInt16]
  private var entries: [UInt32]
  private var targets: [UInt32] = []
  private var compositions: [UInt64: UInt32] = [:]

  /// The number of shared blocks, in which all characters are of one kind; the number of a shared block is the kind.
  private static let sharedBlocks: UInt16 = 4

  private init() {
    ascii = (0..<128).map { (byte: UInt8) in
      let lower = byte.asciiLowercased
      return lower.isASCIIDigit || lower &- 0x61 < 26 ? lower : 0
    }
    blocks = Array(repeating: 0, count: 0x110000 >> 7)
    entries = (0..<UInt32(Self.sharedBlocks)).flatMap { Array(repeating: $0 << 26, count: 128) }
    for byte in ascii.indices where ascii[byte] != 0 {
      set(UInt32(byte), Kind.word.rawValue << 26)
    }
    set(SearchTables.words, .word)
    set(SearchTables.singles, .single)
    set(SearchTables.dropped, .dropped)
    setFolds()
    var reader = TableReader(SearchTables.compositions)
    while let letter = reader.number() {
      guard let mark = reader.number(), let composed = reader.number() else { break }
      compositions[UInt64(letter) << 32 | UInt64(mark)] = composed
    }
  }

  private mutating func set(_ ranges: String, _ kind: Kind) {
    var reader = TableReader(ranges)
    while let first = reader.number() {
      let last = reader.skip("-") ? reader.number() ?? first : first
      var code = first
      while code <= last {
        if code & 127 == 0, code + 127 <= last {
          blocks[Int(code >> 7)] = UInt16(kind.rawValue)
          code += 128
        } else {
          set(code, kind.rawValue << 26)
          code += 1
        }
      }
    }
  }

  private mutating func setFolds() {
    var reader = TableReader(SearchTables.folds)
    while let first = reader.number() {
      var last = first
      var (step, growth): (UInt32, UInt32) = (1, 1)
      if reader.skip("-") {
        last = reader.number() ?? first
      } else if reader.skip("=") {
        last = reader.number() ?? first
        growth = 0
      } else if reader.skip("/") {
        last = reader.number() ?? first
        (step, growth) = (2, 2)
      }
      guard reader.skip(":"), var target = reader.number() else { break }
      var several = [target]
      while reader.skip("."), let next = reader.number() { several.append(next) }
      if several.count > 1 {
        target = UInt32(targets.count)
        targets += several
      }
      for code in stride(from: first, through: last, by: Int(step)) {
        // A sign that folds to letters is part of a word, as letters are.
        let kind = max(entry(code) >> 26, Kind.word.rawValue)
        set(code, kind << 26 | UInt32(several.count) << 21 | target)
        target += growth
      }
    }
  }

  private mutating func set(_ code: UInt32, _ entry: UInt32) {
    let number = Int(code >> 7)
    if blocks[number] < Self.sharedBlocks {
      let shared = Int(blocks[number]) << 7
      blocks[number] = UInt16(entries.count >> 7)
      entries += Array(entries[shared..<shared + 128])
    }
    entries[Int(blocks[number]) << 7 | Int(code & 127)] = entry
  }

  private func entry(_ code: UInt32) -> UInt32 {
    entries[Int(blocks[Int(code >> 7)]) << 7 | Int(code & 127)]
  }
}

extension SearchAlphabet {
  func kind(of code: UInt32) -> Kind {
    Kind(rawValue: entry(code) >> 26) ?? .separator
  }

  /// Returns the character to which a character folds; nil if it folds to several.
  func folded(_ code: UInt32) -> UInt32? {
    let entry = entry(code)
    switch entry >> 21 & 31 {
    case 0: return code
    case 1: return entry & 0x1FFFFF
    default: return nil
    }
  }

  /// Returns the characters to which a character folds, if there are several.
  func foldedToSeveral(_ code: UInt32) -> ArraySlice<UInt32> {
    let entry = entry(code)
    let start = Int(entry & 0x1FFFFF)
    return targets[start..<start + Int(entry >> 21 & 31)]
  }

  /// Returns the letter that a folded letter and a mark compose; nil if they don't compose.
  ///
  /// For example, и and a breve compose to й, か and its mark to が, and the parts of a Hangul syllable to the syllable. File
  /// names on Apple's systems are decomposed. Latin and Greek letters are not composed, because their marks are dropped.
  func composed(_ letter: UInt32, _ mark: UInt32) -> UInt32? {
    switch mark {
    case 0x0301, 0x0306, 0x0308, 0x3099, 0x309A:
      return compositions[UInt64(letter) << 32 | UInt64(mark)]
    case 0x1161...0x1175 where 0x1100...0x1112 ~= letter:
      return 0xAC00 + ((letter - 0x1100) * 21 + mark - 0x1161) * 28
    case 0x11A8...0x11C2 where 0xAC00...0xD7A3 ~= letter && (letter - 0xAC00) % 28 == 0:
      return letter + mark - 0x11A7
    default: return nil
    }
  }
}

/// Reads the hexadecimal numbers of a table and the signs between them.
private struct TableReader {
  private let text: [UInt8]
  private var index = 0

  init(_ text: String) {
    self.text = Array(text.utf8)
  }

  mutating func skip(_ sign: Unicode.Scalar) -> Bool {
    guard index < text.count, UInt32(text[index]) == sign.value else { return false }
    index += 1
    return true
  }

  /// Reads the next number, after at most one space, plus or colon; nil if there is none.
  mutating func number() -> UInt32? {
    if index < text.count, text[index] == 0x20 || text[index] == 0x2B || text[index] == 0x3A {
      index += 1
    }
    var value: UInt32?
    while index < text.count {
      let byte = text[index]
      let digit = byte.isASCIIDigit ? byte - 0x30 : byte &- 0x61 < 6 ? byte - 0x61 + 10 : 16
      if digit == 16 { break }
      value = (value ?? 0) << 4 | UInt32(digit)
      index += 1
    }
    return value
  }
}
