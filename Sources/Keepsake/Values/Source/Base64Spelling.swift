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
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, character) in standard.enumerated() { values[Int(character)] = UInt8(value) }
    for (value, character) in urlSafe.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()
  private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
  fileprivate static let standard = Array((letters + "+/").utf8)
  fileprivate static let urlSafe = Array((letters + "-_").utf8)
}

// MARK: - Without breaks and escapes

extension Base64Spelling {
  /// Finds the alphabet of a text in one line, without escapes, by the sign that stands for it.
  ///
  /// Most base64 is such a text, and there is much of it.
  /// - Returns: The sign; 0 if all letters are in both alphabets, and nil if the text is anything but letters of one alphabet
  ///   with padding behind them.
  private static func signsIfPlain(_ text: ArraySlice<UInt8>) -> UInt8? {
    let letters = text.dropLast(padding(of: text))
    let span = letters.span
    let signs = signs.span
    var found: UInt8 = 0
    for index in span.indices { found |= signs[Int(span[index])] }
    // Letters of both alphabets at once are neither.
    return found & other != 0 || found == standardSign | urlSign ? nil : found
  }

  private static func padding(of text: ArraySlice<UInt8>) -> Int {
    var padding = 0
    while padding < min(2, text.count), text[text.endIndex - 1 - padding] == UInt8(ascii: "=") {
      padding += 1
    }
    return padding
  }

  /// Tells whether the letters end with the padding that they need, and no bit of the last letter is dropped.
  private func hasProperEnd(_ text: ArraySlice<UInt8>) -> Bool {
    let padding = Self.padding(of: text)
    let letters = text.count - padding
    let dropped = letters % 4 == 2 ? 15 : 3
    switch letters % 4 {
    case 0: return padding == 0
    case 1: return false
    default:
      let last = Self.values[Int(text[text.startIndex + letters - 1])]
      return padding == (isPadded ? 4 - letters % 4 : 0) && Int(last) & dropped == 0
    }
  }

  private func decodePlain(_ text: ArraySlice<UInt8>, into take: ([UInt8]) throws -> Void) rethrows
    -> Bool
  {
    guard let signs = Self.signsIfPlain(text), hasProperEnd(text),
      signs == 0 || signs == (isURLSafe ? Self.urlSign : Self.standardSign)
    else { return false }
    let letters = text.dropLast(Self.padding(of: text))
    let groups = letters.count / 4
    var group = 0
    while group < groups {
      let count = min(groups - group, Self.pieceSize / 3 + 1)
      var output = [UInt8](repeating: 0, count: count * 3)
      Self.decode(letters, from: group * 4, groups: count, into: &output)
      group += count
      if group == groups, letters.count % 4 > 0 { output += tail(letters) }
      try take(output)
    }
    if groups == 0, !letters.isEmpty { try take(tail(letters)) }
    return true
  }

  /// Returns the bytes of the two or three letters that stand behind whole groups.
  private func tail(_ letters: ArraySlice<UInt8>) -> [UInt8] {
    let rest = letters.suffix(letters.count % 4).map { Self.values[Int($0)] }
    switch rest.count {
    case 2: return [rest[0] << 2 | rest[1] >> 4]
    case 3: return [rest[0] << 2 | rest[1] >> 4, rest[1] << 4 | rest[2] >> 2]
    default: return []
    }
  }

  /// Decodes whole groups of letters.
  private static func decode(
    _ letters: ArraySlice<UInt8>, from start: Int, groups: Int, into output: inout [UInt8]
  ) {
    let (from, table) = (letters.span, values.span)
    var to = output.mutableSpan
    var (next, end) = (start, 0)
    for _ in 0..<groups {
      let a = table[Int(from[next])]
      let b = table[Int(from[next &+ 1])]
      let c = table[Int(from[next &+ 2])]
      let d = table[Int(from[next &+ 3])]
      to[end] = a << 2 | b >> 4
      to[end &+ 1] = b << 4 | c >> 2
      to[end &+ 2] = c << 6 | d
      next &+= 4
      end &+= 3
    }
  }

  private static let standardSign: UInt8 = 1
  private static let urlSign: UInt8 = 2
  private static let other: UInt8 = 4

  /// The sign of the alphabet that has each byte; 0 for a letter of both.
  private static let signs: [UInt8] = {
    var signs = [UInt8](repeating: other, count: 256)
    for character in letters.utf8 { signs[Int(character)] = 0 }
    for character in "+/".utf8 { signs[Int(character)] = standardSign }
    for character in "-_".utf8 { signs[Int(character)] = urlSign }
    return signs
  }()
}

// MARK: - Encoding

extension Base64Spelling {
  /// Writes bytes, which may come in pieces, as text of this spelling.
  package struct Encoder {
    private let spelling: Base64Spelling
    private let alphabet: [UInt8]
    private let lineBreak: [UInt8]
    private var rest: [UInt8] = []
    private var column = 0

    package init(_ spelling: Base64Spelling) {
      self.spelling = spelling
      alphabet = spelling.isURLSafe ? Base64Spelling.urlSafe : Base64Spelling.standard
      lineBreak = spelling.lineBreak.bytes
    }

    package mutating func add(_ bytes: [UInt8], to text: inout [UInt8]) {
      var index = 0
      if !rest.isEmpty {
        while rest.count < 3, index < bytes.count {
          rest.append(bytes[index])
          index += 1
        }
        guard rest.count == 3 else { return }
        write(rest[0], rest[1], rest[2], to: &text)
        rest = []
      }
      while index + 3 <= bytes.count {
        write(bytes[index], bytes[index + 1], bytes[index + 2], to: &text)
        index += 3
      }
      rest += bytes[index...]
    }

    package mutating func finish(to text: inout [UInt8]) {
      if !rest.isEmpty {
        let second = rest.count == 2 ? rest[1] : 0
        put(alphabet[Int(rest[0] >> 2)], to: &text)
        put(alphabet[Int(rest[0] << 4 & 0x30 | second >> 4)], to: &text)
        if rest.count == 2 { put(alphabet[Int(second << 2 & 0x3C)], to: &text) }
        if spelling.isPadded { for _ in rest.count..<3 { put(UInt8(ascii: "="), to: &text) } }
        rest = []
      }
      if spelling.endsWithLineBreak { text += lineBreak }
    }

    private mutating func write(_ a: UInt8, _ b: UInt8, _ c: UInt8, to text: inout [UInt8]) {
      put(alphabet[Int(a >> 2)], to: &text)
      put(alphabet[Int(a << 4 & 0x30 | b >> 4)], to: &text)
      put(alphabet[Int(b << 2 & 0x3C | c >> 6)], to: &text)
      put(alphabet[Int(c & 0x3F)], to: &text)
    }

    @inline(__always)
    private mutating func put(_ character: UInt8, to text: inout [UInt8]) {
      if spelling.lineLength > 0, column == spelling.lineLength {
        text += lineBreak
        column = 0
      }
      if character == UInt8(ascii: "/"), spelling.escapesSlashes { text.append(UInt8(ascii: "\\")) }
      text.append(character)
      column += 1
    }
  }
}
