/// Text of a store as it is shown to a model: characters that hide, steer or reorder are written as `\u{…}`.
///
/// A rendering, and not the bytes: those come from the resource of an artifact and from an export. Joiners stay, because emoji
/// and many scripts need them.
enum VisibleText {
  /// Returns a text with visible characters in place of hidden ones; line breaks and tabs stay.
  static func block(_ text: some StringProtocol) -> String {
    if text.utf8.allSatisfy(isPlain) { return String(text) }
    var result = String.UnicodeScalarView()
    var scalars = text.unicodeScalars.makeIterator()
    var previous: Unicode.Scalar?
    var next = scalars.next()
    while let scalar = next {
      next = scalars.next()
      // A single variation selector changes how a character looks. Several in a row can hide a message.
      let isHidden =
        isSelector(scalar)
        ? previous.map(isSelector) ?? true || next.map(isSelector) ?? false : isHidden(scalar)
      if isHidden { escape(scalar, to: &result) } else { result.append(scalar) }
      previous = scalar
    }
    return String(result)
  }

  /// Returns the beginning of a text on one line.
  ///
  /// - Parameters:
  ///   - text: The text, of any length; only its beginning is read.
  ///   - limit: The most characters, counted as Unicode scalars.
  ///   - bytes: The most bytes of the result, with the mark of what was cut.
  static func line(
    _ text: some StringProtocol, limit: Int = ClientLimits.lineLength, bytes: Int = .max
  ) -> String {
    var line = String.UnicodeScalarView()
    var count = 0
    var isBlank = true
    var isCut = false
    for scalar in text.unicodeScalars {
      guard count < limit else {
        isCut = true
        break
      }
      if scalar.properties.isWhitespace || scalar == "\n" {
        if !isBlank {
          line.append(" ")
          count += 1
        }
        isBlank = true
      } else {
        line.append(scalar)
        count += 1
        isBlank = false
      }
    }
    if isBlank, line.last == " " { line.removeLast() }
    var shown = block(String(line))
    if shown.utf8.count > bytes {
      shown = Cut.prefix(of: shown, bytes: max(0, bytes - 3))
      isCut = true
    }
    return isCut ? shown + "…" : shown
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x20..<0x7F).contains(byte) || byte == 0x0A || byte == 0x09
  }

  private static func escape(_ scalar: Unicode.Scalar, to result: inout String.UnicodeScalarView) {
    result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
  }

  private static func isSelector(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xFE00...0xFE0F, 0xE_0100...0xE_01EF, 0x180B...0x180D, 0x180F: true
    default: false
    }
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A: false
    // Controls; then what changes the order of reading, and what shows nothing.
    case 0x00..<0x20, 0x7F..<0xA0, 0x061C, 0x180E, 0x200B, 0x200E...0x200F, 0x2028...0x202E,
      0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB, 0xE_0000...0xE_007F:
      true
    default: false
    }
  }
}
