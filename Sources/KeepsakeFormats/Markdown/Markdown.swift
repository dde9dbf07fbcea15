import Keepsake

/// Text that stands in a document as nothing but text.
enum Markdown {
  /// A text on one line, which formats nothing and ends nothing: of a heading, a table, a link.
  static func line(_ text: String) -> String {
    let bytes = Array(oneLine(text).utf8)
    var result: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      // Inside of a word it is a letter: image_1.
      let isLetter =
        byte == UInt8(ascii: "_") && index > 0 && index + 1 < bytes.count
        && isWordByte(bytes[index - 1]) && isWordByte(bytes[index + 1])
      if special.contains(byte), !isLetter { result.append(UInt8(ascii: "\\")) }
      result.append(byte)
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// A text on one line inside of HTML.
  static func html(_ text: String) -> String {
    oneLine(text).replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
  }

  /// A text on one line as code.
  static func code(_ text: String) -> String {
    let text = oneLine(text)
    let ticks = String(repeating: "`", count: longestRun(of: text) + 1)
    return ticks.count == 1 ? "`\(text)`" : "\(ticks) \(text) \(ticks)"
  }

  /// A text as a block of code, whatever fences it has in it.
  static func fenced(_ text: String, language: String = "") -> String {
    // A reader takes each of these for the end of a line, and a terminal would write over it.
    let text = visible(text).replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    let fence = String(repeating: "`", count: max(3, longestRun(of: text) + 1))
    let end = text.isEmpty || text.utf8.last == UInt8(ascii: "\n") ? "" : "\n"
    return "\(fence)\(language)\n\(text)\(end)\(fence)\n"
  }

  /// How many backticks stand together where most of them do.
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

  /// The text with what would steer a terminal shown instead: the picture of a control character, or its number.
  ///
  /// A document is read with `cat` and `less`, too. Line breaks and tabs stay.
  static func visible(_ text: String) -> String {
    // In UTF-8 those from U+0080 to U+009F begin with C2, which most text does not have either.
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
