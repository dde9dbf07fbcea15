import Keepsake

/// Writes JSON with line breaks and indentation, and leaves its values unchanged.
enum PrettyJSON {
  /// The depth from which on lines are not indented further.
  private static let indentLimit = 24

  /// The value of a text that is a JSON object or array; nil for any other text.
  static func value(of text: String) -> JSON? {
    guard let first = text.utf8.first(where: { $0 > 0x20 }),
      first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    else { return nil }
    return try? JSON(validating: text)
  }

  static func text(_ json: JSON) -> String {
    var text: [UInt8] = []
    var depth = 0
    var isInString = false
    var isEscaped = false
    func line(_ text: inout [UInt8]) {
      text.append(UInt8(ascii: "\n"))
      text += [UInt8](repeating: 0x20, count: 2 * min(depth, indentLimit))
    }
    for byte in json.text.utf8 {
      if isInString {
        text.append(byte)
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D: continue
      case UInt8(ascii: "\""):
        isInString = true
        text.append(byte)
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        text.append(byte)
        depth += 1
        line(&text)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        // An empty object or array stays on its line.
        while text.last == 0x20 || text.last == 0x0A { text.removeLast() }
        if text.last != (byte == UInt8(ascii: "}") ? UInt8(ascii: "{") : UInt8(ascii: "[")) {
          line(&text)
        }
        text.append(byte)
      case UInt8(ascii: ","):
        text.append(byte)
        line(&text)
      case UInt8(ascii: ":"): text += [byte, 0x20]
      default: text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
