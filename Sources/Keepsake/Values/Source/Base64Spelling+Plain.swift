// Texts in one line, without escapes.
extension Base64Spelling {
  /// Finds the alphabet of a text in one line, without escapes, by the sign that stands for it.
  ///
  /// Most base64 is such a text, and there is much of it.
  /// - Returns: The sign; 0 if all letters are in both alphabets, and nil if the text is anything but letters of one alphabet
  ///   with padding behind them.
  static func signsIfPlain(_ text: ArraySlice<UInt8>) -> UInt8? {
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
  func hasProperEnd(_ text: ArraySlice<UInt8>) -> Bool {
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

  func decodePlain(_ text: ArraySlice<UInt8>, into take: ([UInt8]) throws -> Void) rethrows
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
    let values = values
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
  static let urlSign: UInt8 = 2
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
