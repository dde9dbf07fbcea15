/// Base64 (RFC 4648) as it comes in transcripts: in either alphabet, wrapped or not, with or without its padding.
///
/// Everything else is refused: what was cut off or mangled on its way must not be kept as if it were right.
enum Base64 {
  static func decode(_ text: String) throws -> [UInt8] { try decode(Array(text.utf8)) }

  static func decode(_ encoded: [UInt8]) throws -> [UInt8] {
    let isForURLs = encoded.contains { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    let values = isForURLs ? valuesForURLs : values
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encoded.count / 4 * 3 + 3)
    var bits: UInt32 = 0
    var count = 0
    var padding = 0
    var hasGaps = false
    var index = 0
    while index < encoded.count {
      let value = values[Int(encoded[index])]
      if value < 64 {
        guard padding == 0 else { throw rubbish("something follows its padding") }
        bits = bits << 6 | UInt32(value)
        count += 1
        index += 1
        if count & 3 == 0 {
          bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
          bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
          bytes.append(UInt8(truncatingIfNeeded: bits))
        }
      } else if encoded[index] == UInt8(ascii: "=") {
        padding += 1
        index += 1
      } else if encoded[index].isBlank {
        let blanks = encoded[index...].prefix(while: \.isBlank)
        index = blanks.endIndex
        let isGap =
          count > 0 && index < encoded.count && values[Int(encoded[index])] < 64
          && !blanks.contains { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        if isGap {
          // Where a line break became a space, whole groups stand before it: lines are a multiple of four long.
          guard count & 3 == 0 else { throw rubbish("it has a space where a '+' may have been") }
          hasGaps = true
        }
      } else {
        throw rubbish("its byte \(index) is \(name(of: encoded[index], isForURLs))")
      }
    }
    try check(count: count, padding: padding, hasGaps: hasGaps)
    switch count & 3 {
    case 2 where bits & 0xF == 0: bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
    case 3 where bits & 3 == 0:
      bytes.append(UInt8(truncatingIfNeeded: bits >> 10))
      bytes.append(UInt8(truncatingIfNeeded: bits >> 2))
    case 0: break
    default: throw cutOff
    }
    return bytes
  }

  private static func check(count: Int, padding: Int, hasGaps: Bool) throws {
    guard count > 0 || padding == 0 else { throw rubbish("it is nothing but padding") }
    if padding > 0 {
      guard padding <= 2, (count + padding) & 3 == 0 else {
        throw rubbish("its padding does not fit its length")
      }
    } else if hasGaps, count & 3 != 0 {
      throw cutOff
    }
  }

  private static var cutOff: KeepsakeError { rubbish("it was cut off, or a part of it is missing") }

  private static func rubbish(_ reason: String) -> KeepsakeError {
    KeepsakeError(
      .invalid, "Can't decode the base64: \(reason). Give all of it, as it was written.")
  }

  private static func name(of byte: UInt8, _ isForURLs: Bool) -> String {
    guard 0x21...0x7E ~= byte else { return "0x\(String(byte, radix: 16))" }
    let character = "'\(Character(Unicode.Scalar(byte)))'"
    return isForURLs && Self.values[Int(byte)] < 64
      ? "\(character), and '-' or '_' stands elsewhere: it mixes two alphabets" : character
  }

  /// What each byte stands for; 64 for those that are not in the alphabet.
  private static let values = table(ending: "+/")
  private static let valuesForURLs = table(ending: "-_")

  private static func table(ending: String) -> [UInt8] {
    var values = [UInt8](repeating: 64, count: 256)
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + ending
    for (value, byte) in letters.utf8.enumerated() { values[Int(byte)] = UInt8(value) }
    return values
  }
}
