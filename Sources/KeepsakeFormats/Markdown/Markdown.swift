import Keepsake

/// Escapes text so that a reader of Markdown shows it as text.
enum Markdown {
  /// Escapes a text for one line of a heading, a table or a link, so that it formats nothing and ends nothing.
  static func line(_ text: String) -> String {
    let bytes = Array(oneLine(text).utf8)
    var result: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      // An underscore inside of a word, as in image_1, formats nothing.
      let isLetter =
        byte == UInt8(ascii: "_") && index > 0 && index + 1 < bytes.count
        && isWordByte(bytes[index - 1]) && isWordByte(bytes[index + 1])
      if special.contains(byte), !isLetter { result.append(UInt8(ascii: "\\")) }
      result.append(byte)
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Escapes a text for one line of HTML.
  static func html(_ text: String) -> String {
    oneLine(text).replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
  }

  /// Returns a text as inline code on one line.
  static func code(_ text: String) -> String {
    let text = oneLine(text)
    let ticks = String(repeating: "`", count: longestRun(of: text) + 1)
    return ticks.count == 1 ? "`\(text)`" : "\(ticks) \(text) \(ticks)"
  }

  /// Returns a text as a block of code, with a fence that is longer than any run of backticks in the text.
  static func fenced(_ text: String, language: String = "") -> String {
    // A reader of Markdown ends a line at a carriage return, and a terminal would overwrite the line.
    let text = visible(text).replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    let fence = String(repeating: "`", count: max(3, longestRun(of: text) + 1))
    let end = text.isEmpty || text.utf8.last == UInt8(ascii: "\n") ? "" : "\n"
    return "\(fence)\(language)\n\(text)\(end)\(fence)\n"
  }

  /// The length of the longest run of backticks.
  private static func longestRun(of text: String) -> Int {
    var longest = 0
    var run = 0
    for byte in text.utf8 {
      run = byte == UInt8(ascii: "`") ? run + 1 : 0
      longest = max(longest, run)
    }
    return longest
  }

  private static func oneLine(_ text: String) -> String {
    visible(text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
  }

  /// Returns the text with control characters replaced by their pictures or numbers, because they would steer a
  /// terminal.
  ///
  /// A document is also read with `cat` and `less`. Line breaks and tabs stay.
  static func visible(_ text: String) -> String {
    // In UTF-8, U+0080 to U+009F begin with the byte C2, which most texts do not contain at all.
    let isPlain = text.utf8.allSatisfy {
      $0 != 0x7F && $0 != 0xC2 && ($0 >= 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09)
    }
    if isPlain { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x09, 0x0A, 0x0D: result.append(scalar)
      case 0..<0x20: result.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
      case 0x7F: result.append("\u{2421}")
      case 0x80..<0xA0:
        let number = String(scalar.value, radix: 16, uppercase: true)
        result.append(contentsOf: "U+00\(number)".unicodeScalars)
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
      true
    default: false
    }
  }

  private static let special = Set("\\`*_[]<>|~&#$!".utf8)
}
