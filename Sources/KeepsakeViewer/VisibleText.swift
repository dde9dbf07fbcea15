import Keepsake

/// Writes text of any origin as HTML in which invisible characters are shown by their numbers.
enum VisibleText {
  /// The form in which invisible characters are shown.
  enum Badges {
    /// Elements, which the style sheet sets apart.
    case elements
    /// Brackets, for attributes, in which no element can stand.
    case brackets
  }

  static func append(_ text: String, to bytes: inout [UInt8], badges: Badges) {
    // Most text holds no such characters, and is copied at once.
    if text.utf8.allSatisfy({ VisibleScalars.isPlain($0) && !isMarkup($0) }) {
      bytes += text.utf8
      return
    }
    var scalars = VisibleScalars()
    var previous: Unicode.Scalar = " "
    for scalar in text.unicodeScalars {
      defer { previous = scalar }
      if previous == "\r", scalar == "\n" { continue }
      scalars.append(scalar) { append($0, to: &bytes, badges: badges) }
    }
    scalars.finish { append($0, to: &bytes, badges: badges) }
  }

  private static func isMarkup(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""),
      UInt8(ascii: "'"):
      true
    default: false
    }
  }

  private static func append(
    _ piece: VisibleScalars.Piece, to bytes: inout [UInt8], badges: Badges
  ) {
    guard case .shown(let scalar) = piece else {
      for badge in piece.badges { append(badge.text, badge.title, to: &bytes, badges: badges) }
      return
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

  private static func append(
    _ text: String, _ title: String, to bytes: inout [UInt8], badges: Badges
  ) {
    switch badges {
    case .elements:
      bytes += "<span class=\"hidden-character\" title=\"\(title)\">".utf8
      append(text, to: &bytes, badges: .brackets)
      bytes += "</span>".utf8
    case .brackets:
      bytes += "[".utf8
      append(text, to: &bytes, badges: .brackets)
      bytes += "]".utf8
    }
  }
}
