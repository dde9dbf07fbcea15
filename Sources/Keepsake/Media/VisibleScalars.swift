/// Splits text of any origin into characters that a person sees and characters that are hidden.
///
/// Pages and terminals both use this type, so that there is one definition. A character is hidden if it changes the order of
/// reading, shows nothing, or controls a program. With such characters a file name can lie about its type, and a text can hide
/// from the person what the model reads. Scripts put a few marks on a letter, and more marks than that would cover the
/// surrounding text.
package struct VisibleScalars {
  /// A visible character, or a run of characters that are not shown.
  package enum Piece {
    case shown(Unicode.Scalar)
    /// A run of hidden characters; a very long run comes in several pieces.
    case hidden([Unicode.Scalar])
    /// A run of marks beyond the limit of a letter; a very long run comes in several pieces.
    case marks([Unicode.Scalar])
  }

  /// The most marks that are shown on a letter.
  package static let markLimit = 8
  /// The most characters that are held back at a time.
  private static let heldLimit = 4096

  private var previous: Unicode.Scalar = " "
  private var marks = 0
  private var held: [Unicode.Scalar] = []
  private var holdsMarks = false

  package init() {}

  /// Adds the next character, and passes on the pieces that are complete.
  package mutating func append(_ scalar: Unicode.Scalar, _ take: (Piece) -> Void) {
    defer { previous = scalar }
    let isHidden = isHidden(scalar)
    let isMark = !isHidden && Self.isMark(scalar)
    marks = isMark ? marks + 1 : 0
    let isTooMany = marks > Self.markLimit
    guard isHidden || isTooMany else {
      flush(take)
      return take(.shown(scalar))
    }
    if isTooMany != holdsMarks || held.count >= Self.heldLimit { flush(take) }
    holdsMarks = isTooMany
    held.append(scalar)
  }

  /// Passes on the characters that were held back.
  package mutating func finish(_ take: (Piece) -> Void) { flush(take) }

  private mutating func flush(_ take: (Piece) -> Void) {
    if held.isEmpty { return }
    take(holdsMarks ? .marks(held) : .hidden(held))
    held.removeAll(keepingCapacity: true)
  }

  /// Returns whether a byte is a character that is always visible, so that a text of such bytes need not be split.
  package static func isPlain(_ byte: UInt8) -> Bool {
    0x20..<0x7F ~= byte || byte == 0x0A || byte == 0x09
  }
}

// MARK: - Which are hidden

extension VisibleScalars {
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.value >= 0x300 else { return false }
    return switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: true
    default: false
    }
  }

  /// Returns whether a character is invisible, or more than itself, at its place; line ends and tabs are not.
  private func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D: false
    case 0x00..<0x20, 0x7F..<0xA0, 0xAD, 0x34F, 0x61C, 0x115F...0x1160, 0x17B4...0x17B5,
      0x180B...0x180F, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0x3164, 0xFEFF,
      0xFFA0, 0xFFF0...0xFFFB, 0x1_BCA0...0x1_BCA3, 0x1_D173...0x1_D17A, 0xE_0000...0xE_00FF,
      0xE_01F0...0xE_0FFF:
      true
    // Joiners connect letters of many scripts and the parts of an emoji, and selectors choose between shapes; elsewhere they
    // hide.
    case 0x200C...0x200D, 0xFE00...0xFE0F: !Self.isJoined(previous)
    // These selectors choose among the shapes of a Chinese character in a name, one for each.
    case 0xE_0100...0xE_01EF: !previous.properties.isIdeographic
    default: false
    }
  }

  private static func isJoined(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // Keycaps consist of a digit, a selector, and a frame.
    case 0x23, 0x2A, 0x30...0x39, 0xA9, 0xAE: true
    case 0xFE0F: true
    case 0x600...:
      scalar.properties.isAlphabetic || scalar.properties.isEmoji || isMark(scalar)
        || 0x2000...0x2BFF ~= scalar.value
    default: false
    }
  }
}

// MARK: - What is said of them

extension VisibleScalars.Piece {
  /// Short texts with explanations that stand in place of hidden characters; empty for a visible character.
  package var badges: [(text: String, title: String)] {
    switch self {
    case .shown: return []
    case .marks(let marks):
      return [("+\(marks.count) marks", "combining marks that are not shown")]
    case .hidden(let hidden):
      let tags = hidden.filter { 0xE_0020...0xE_007E ~= $0.value }
      if tags.count == hidden.count, tags.count > 1 {
        // Tag characters are a second ASCII that only models read.
        let text = String(
          String.UnicodeScalarView(tags.compactMap { Unicode.Scalar($0.value - 0xE_0000) }))
        return [("hidden text: \(text)", "\(tags.count) tag characters, which people don't see")]
      }
      if hidden.count > 3, let first = hidden.first, hidden.allSatisfy({ $0 == first }) {
        return [("\(Self.name(first)) ×\(hidden.count)", "hidden characters")]
      }
      let names = hidden.prefix(64).map { (text: Self.name($0), title: "a hidden character") }
      return hidden.count > 64 ? names + [("+\(hidden.count - 64)", "hidden characters")] : names
    }
  }

  private static func name(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
