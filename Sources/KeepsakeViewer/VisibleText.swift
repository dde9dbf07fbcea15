/// Text of any origin as HTML that shows what is in it.
///
/// Characters that turn the order of reading, that show nothing, or that a program obeys are shown by their numbers: in
/// them file names lie about what they are, and text hides from the person what the model reads.
enum VisibleText {
  enum Badges {
    /// Elements that style sheets can set apart.
    case elements
    /// Brackets, where no element can stand: in attributes.
    case brackets
  }

  /// Scripts stack a few marks on a letter; more than these hide what stands around.
  static let markLimit = 8

  static func append(_ text: String, to bytes: inout [UInt8], badges: Badges) {
    // Most text needs nothing of this.
    if text.utf8.allSatisfy({ isPlain($0) }) {
      bytes += text.utf8
      return
    }
    var writer = Writer(bytes: bytes, badges: badges)
    bytes = []
    for scalar in text.unicodeScalars { writer.append(scalar) }
    writer.finish()
    bytes = writer.bytes
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""),
      UInt8(ascii: "'"):
      false
    case UInt8(ascii: "\n"), UInt8(ascii: "\t"): true
    default: 0x20..<0x7F ~= byte
    }
  }
}

extension VisibleText {
  private struct Writer {
    var bytes: [UInt8]
    let badges: Badges
    var previous: Unicode.Scalar = " "
    var marks = 0
    /// Hidden characters that stand together.
    var hidden: [Unicode.Scalar] = []

    mutating func append(_ scalar: Unicode.Scalar) {
      if previous == "\r", scalar == "\n" {
        previous = scalar
        return
      }
      defer { previous = scalar }
      if isHidden(scalar) {
        endMarks()
        hidden.append(scalar)
        return
      }
      flush()
      if isMark(scalar) {
        marks += 1
        if marks > VisibleText.markLimit { return }
      } else {
        endMarks()
      }
      switch scalar {
      case "&": bytes += "&amp;".utf8
      case "<": bytes += "&lt;".utf8
      case ">": bytes += "&gt;".utf8
      case "\"": bytes += "&quot;".utf8
      case "'": bytes += "&#39;".utf8
      case "\r": bytes.append(UInt8(ascii: "\n"))
      default: if let units = UTF8.encode(scalar) { bytes += units }
      }
    }

    mutating func finish() {
      flush()
      endMarks()
    }

    private func isMark(_ scalar: Unicode.Scalar) -> Bool {
      guard scalar.value >= 0x300 else { return false }
      return switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark: true
      default: false
      }
    }

    private mutating func endMarks() {
      if marks > VisibleText.markLimit {
        badge("+\(marks - VisibleText.markLimit) marks", "combining marks that are not shown")
      }
      marks = 0
    }

    /// Whether a character shows nothing, or more than itself, where it stands.
    private func isHidden(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.value {
      case 0x09, 0x0A, 0x0D: false
      case 0x00..<0x20, 0x7F..<0xA0, 0xAD, 0x34F, 0x61C, 0x115F...0x1160, 0x17B4...0x17B5,
        0x180B...0x180F, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0x3164, 0xFEFF,
        0xFFA0, 0xFFF0...0xFFFB, 0x1_BCA0...0x1_BCA3, 0x1_D173...0x1_D17A, 0xE_0000...0xE_0FFF:
        true
      // They join letters of many scripts and the parts of an emoji, and choose between shapes; elsewhere they hide.
      case 0x200C...0x200D, 0xFE00...0xFE0F: !isJoined(previous)
      default: false
      }
    }

    private func isJoined(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.value {
      // Keycaps: a digit, a shape, a frame around them.
      case 0x23, 0x2A, 0x30...0x39, 0xA9, 0xAE: true
      case 0xFE0F: true
      case 0x600...:
        scalar.properties.isAlphabetic || scalar.properties.isEmoji || isMark(scalar)
          || 0x2000...0x2BFF ~= scalar.value
      default: false
      }
    }

    private mutating func flush() {
      guard let first = hidden.first else { return }
      let tags = hidden.filter { 0xE_0020...0xE_007E ~= $0.value }
      if tags.count == hidden.count, tags.count > 1 {
        // Another ASCII, that only models read.
        let text = String(
          String.UnicodeScalarView(tags.compactMap { Unicode.Scalar($0.value - 0xE_0000) }))
        badge("hidden text: \(text)", "\(tags.count) tag characters, which people don't see")
      } else if hidden.count > 3, hidden.allSatisfy({ $0 == first }) {
        badge("\(Self.name(first)) ×\(hidden.count)", "hidden characters")
      } else {
        for scalar in hidden.prefix(64) { badge(Self.name(scalar), "a hidden character") }
        if hidden.count > 64 { badge("+\(hidden.count - 64)", "hidden characters") }
      }
      hidden = []
    }

    private static func name(_ scalar: Unicode.Scalar) -> String {
      let digits = String(scalar.value, radix: 16, uppercase: true)
      return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    private mutating func badge(_ text: String, _ title: String) {
      switch badges {
      case .elements:
        bytes += "<span class=\"hidden-character\" title=\"\(title)\">".utf8
        VisibleText.append(text, to: &bytes, badges: .brackets)
        bytes += "</span>".utf8
      case .brackets:
        bytes += "[".utf8
        VisibleText.append(text, to: &bytes, badges: .brackets)
        bytes += "]".utf8
      }
    }
  }
}
