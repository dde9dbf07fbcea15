/// The spelling of a base64 text, by which its bytes can be written as the same text again, to the letter.
///
/// Producers differ in alphabet, padding and line breaks, and JSON may escape a slash. A text that no spelling writes
/// (white space in odd places, bits that are dropped) has none, and is kept as it stands.
package struct Base64Spelling: Sendable, Hashable {
  enum LineBreak: Int, CaseIterable {
    case none, newline, carriageReturn
    /// The escapes of line breaks in a JSON string.
    case escapedNewline, escapedCarriageReturn

    var bytes: [UInt8] {
      switch self {
      case .none: []
      case .newline: [0x0A]
      case .carriageReturn: [0x0D, 0x0A]
      case .escapedNewline: Array(#"\n"#.utf8)
      case .escapedCarriageReturn: Array(#"\r\n"#.utf8)
      }
    }
  }

  private(set) var isURLSafe = false
  private(set) var isPadded = true
  /// Tells whether slashes are escaped as `\/`, as JSON may write them.
  private(set) var escapesSlashes = false
  private(set) var lineBreak = LineBreak.none
  /// The number of characters of base64 in a line; 0 if all stand in one line.
  private(set) var lineLength = 0
  private(set) var endsWithLineBreak = false

  /// Finds the spelling of a text; nil if it is not base64, or could not be written again from its bytes.
  package init?(of text: ArraySlice<UInt8>) {
    if let signs = Self.signsIfPlain(text) {
      isURLSafe = signs == Self.urlSign
      isPadded = text.count % 4 == 0
      guard hasProperEnd(text) else { return nil }
      return
    }
    guess(text)
    guard decode(text, into: { _ in }) else { return nil }
  }

  /// Guesses the only spelling that a text can have from its looks.
  private mutating func guess(_ text: ArraySlice<UInt8>) {
    var characters = 0
    var index = text.startIndex
    while index < text.endIndex {
      switch text[index] {
      case UInt8(ascii: "-"), UInt8(ascii: "_"): isURLSafe = true
      case UInt8(ascii: "\\") where text[index...].starts(with: Self.escapedSlash):
        escapesSlashes = true
        index += 1
      case 0x0A, 0x0D, UInt8(ascii: "\\"):
        let found = LineBreak.allCases.last { $0 != .none && text[index...].starts(with: $0.bytes) }
        guard let found else { return }
        if lineBreak == .none {
          lineBreak = found
          lineLength = characters
        }
        index += found.bytes.count
        endsWithLineBreak = index == text.endIndex
        continue
      default: break
      }
      characters += 1
      index += 1
    }
    isPadded = characters % 4 == 0
  }
}

// MARK: - As a number

extension Base64Spelling: RawRepresentable {
  package var rawValue: Int {
    (isURLSafe ? 1 : 0) | (isPadded ? 2 : 0) | (escapesSlashes ? 4 : 0)
      | (endsWithLineBreak ? 8 : 0) | lineBreak.rawValue << 4 | lineLength << 8
  }

  package init?(rawValue: Int) {
    guard rawValue >= 0, let lineBreak = LineBreak(rawValue: rawValue >> 4 & 15),
      (lineBreak == .none) == (rawValue >> 8 == 0)
    else { return nil }
    isURLSafe = rawValue & 1 != 0
    isPadded = rawValue & 2 != 0
    escapesSlashes = rawValue & 4 != 0
    endsWithLineBreak = rawValue & 8 != 0
    self.lineBreak = lineBreak
    lineLength = rawValue >> 8
  }
}

// MARK: - Decoding

extension Base64Spelling {
  static let pieceSize = 1 << 20

  /// Returns the number of bytes that a text of this spelling holds.
  func size(of text: ArraySlice<UInt8>) -> Int {
    if lineBreak == .none, !escapesSlashes {
      return (text.count - text.suffix(2).count { $0 == UInt8(ascii: "=") }) * 3 / 4
    }
    var size = 0
    _ = decode(text) { size += $0.count }
    return size
  }

  /// Hands over the bytes of a text piece by piece, and returns false at the first character that this spelling would not
  /// write.
  package func decode(_ text: ArraySlice<UInt8>, into take: ([UInt8]) throws -> Void) rethrows
    -> Bool
  {
    if lineBreak == .none, !escapesSlashes { return try decodePlain(text, into: take) }
    var groups = Groups(capacity: min(text.count, Self.pieceSize + 3))
    let values = Self.values
    let lineBreak = lineBreak.bytes
    var padding = 0
    var column = 0
    var index = text.startIndex
    var hasEnded = !endsWithLineBreak
    while index < text.endIndex {
      if lineLength > 0,
        column == lineLength || column > 0 && isAtLastBreak(text[index...], lineBreak)
      {
        guard text[index...].starts(with: lineBreak) else { return false }
        index += lineBreak.count
        column = 0
        if index == text.endIndex {
          guard endsWithLineBreak else { return false }
          hasEnded = true
        }
        continue
      }
      var byte = text[index]
      if byte == UInt8(ascii: "\\") {
        guard escapesSlashes, index + 1 < text.endIndex, text[index + 1] == UInt8(ascii: "/") else {
          return false
        }
        byte = UInt8(ascii: "/")
        index += 1
      } else if byte == UInt8(ascii: "/"), escapesSlashes {
        return false
      }
      index += 1
      column += 1
      if byte == UInt8(ascii: "=") {
        padding += 1
        guard isPadded, padding <= 2 else { return false }
        continue
      }
      let value = values[Int(byte)]
      guard padding == 0, value < 64, value < 62 || isURLSafe == Self.isURLSafe(byte) else {
        return false
      }
      if groups.add(value), groups.output.count >= Self.pieceSize {
        try take(groups.output)
        groups.output.removeAll(keepingCapacity: true)
      }
    }
    guard groups.finish(padding: padding, isPadded: isPadded) else { return false }
    if !groups.output.isEmpty { try take(groups.output) }
    return hasEnded
  }

  /// Puts the bits of characters together. Four characters hold three bytes.
  private struct Groups {
    var output: [UInt8] = []
    private var group: UInt32 = 0
    private var held = 0

    init(capacity: Int) { output.reserveCapacity(capacity) }

    /// Takes the six bits of the next character.
    ///
    /// - Returns: True after the last character of a group, whose bytes are in the output now.
    mutating func add(_ value: UInt8) -> Bool {
      group = group << 6 | UInt32(value)
      held += 1
      guard held == 4 else { return false }
      output.append(UInt8(truncatingIfNeeded: group >> 16))
      output.append(UInt8(truncatingIfNeeded: group >> 8))
      output.append(UInt8(truncatingIfNeeded: group))
      group = 0
      held = 0
      return true
    }

    /// Writes the bytes of an unfinished group.
    ///
    /// - Returns: False if the group may not end so, because it lacks padding, or has bits beyond its bytes.
    mutating func finish(padding: Int, isPadded: Bool) -> Bool {
      switch held {
      case 0: return padding == 0
      case 2:
        guard group & 15 == 0, padding == (isPadded ? 2 : 0) else { return false }
        output.append(UInt8(truncatingIfNeeded: group >> 4))
      case 3:
        guard group & 3 == 0, padding == (isPadded ? 1 : 0) else { return false }
        output.append(UInt8(truncatingIfNeeded: group >> 10))
        output.append(UInt8(truncatingIfNeeded: group >> 2))
      default: return false
      }
      return true
    }
  }

  private static let escapedSlash = Array(#"\/"#.utf8)

  /// Tells whether nothing is left but the break after an unfinished last line.
  private func isAtLastBreak(_ rest: ArraySlice<UInt8>, _ lineBreak: [UInt8]) -> Bool {
    endsWithLineBreak && rest.count == lineBreak.count && rest.elementsEqual(lineBreak)
  }

  private static func isURLSafe(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  /// The six bits of each character of both alphabets; 255 for a character that is in neither.
  static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, character) in standard.enumerated() { values[Int(character)] = UInt8(value) }
    for (value, character) in urlSafe.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()
  static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
  static let standard = Array((letters + "+/").utf8)
  static let urlSafe = Array((letters + "-_").utf8)
}
