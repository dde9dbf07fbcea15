/// Decodes base64 (RFC 4648) as it occurs in transcripts: in either alphabet, wrapped or not, with or without padding.
///
/// All other text is refused, so that truncated or mangled bytes are never kept as if they were right.
package enum Base64 {
  static func decode(_ text: String) throws -> [UInt8] { try decode(Array(text.utf8)) }

  package static func decode(_ encoded: [UInt8]) throws -> [UInt8] {
    let isForURLs = encoded.contains { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    let values = isForURLs ? valuesForURLs : values
    var bytes = [UInt8](repeating: 0, count: encoded.count / 4 * 3 + 3)
    var length = 0
    // The value of the letters of the current group of four.
    var group: UInt32 = 0
    var count = 0
    var padding = 0
    var hasGaps = false
    var index = 0
    while index < encoded.count {
      if count & 3 == 0, padding == 0 {
        decodeGroups(of: encoded, from: &index, into: &bytes, at: &length, by: values)
        guard index < encoded.count else { break }
      }
      let value = values[Int(encoded[index])]
      if value < 64 {
        guard padding == 0 else { throw rubbish("something follows its padding") }
        group = group << 6 | UInt32(value)
        count += 1
        index += 1
        if count & 3 == 0 { store(group, into: &bytes, at: &length) }
      } else if encoded[index] == UInt8(ascii: "=") {
        padding += 1
        index += 1
      } else if encoded[index].isBlank {
        let blanks = encoded[index...].prefix(while: \.isBlank)
        index = blanks.endIndex
        let isGap =
          length + count > 0 && index < encoded.count && values[Int(encoded[index])] < 64
          && !blanks.contains { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        if isGap {
          // If a line break became a space, whole groups stand before it, because line lengths are multiples of four.
          guard count & 3 == 0 else { throw rubbish("it has a space where a '+' may have been") }
          hasGaps = true
        }
      } else {
        throw rubbish("its byte \(index) is \(name(of: encoded[index], isForURLs))")
      }
    }
    guard length + count > 0 || padding == 0 else { throw rubbish("it is nothing but padding") }
    try check(count: count & 3, padding: padding, hasGaps: hasGaps)
    switch count & 3 {
    case 2 where group & 0xF == 0: bytes[length] = UInt8(truncatingIfNeeded: group >> 4)
    case 3 where group & 3 == 0:
      bytes[length] = UInt8(truncatingIfNeeded: group >> 10)
      bytes[length + 1] = UInt8(truncatingIfNeeded: group >> 2)
    case 0: break
    default: throw cutOff
    }
    length += max(0, count & 3 - 1)
    bytes.removeLast(bytes.count - length)
    return bytes
  }

  /// Decodes whole groups of four letters, as long as nothing else is between them; this is the fast path.
  private static func decodeGroups(
    of encoded: [UInt8], from index: inout Int, into bytes: inout [UInt8], at length: inout Int,
    by values: [UInt8]
  ) {
    let (from, table) = (encoded.span, values.span)
    var to = bytes.mutableSpan
    var (next, end) = (index, length)
    while next &+ 4 <= from.count {
      let a = table[Int(from[next])]
      let b = table[Int(from[next &+ 1])]
      let c = table[Int(from[next &+ 2])]
      let d = table[Int(from[next &+ 3])]
      guard a | b | c | d < 64 else { break }
      to[end] = a << 2 | b >> 4
      to[end &+ 1] = b << 4 | c >> 2
      to[end &+ 2] = c << 6 | d
      next &+= 4
      end &+= 3
    }
    (index, length) = (next, end)
  }

  private static func store(_ group: UInt32, into bytes: inout [UInt8], at length: inout Int) {
    bytes[length] = UInt8(truncatingIfNeeded: group >> 16)
    bytes[length + 1] = UInt8(truncatingIfNeeded: group >> 8)
    bytes[length + 2] = UInt8(truncatingIfNeeded: group)
    length += 3
  }

  /// Throws if the letters of the last group and the padding are not a valid end.
  private static func check(count: Int, padding: Int, hasGaps: Bool) throws {
    if padding > 0 {
      guard padding <= 2, (count + padding) & 3 == 0 else {
        throw rubbish("its padding does not fit its length")
      }
    } else if hasGaps, count != 0 {
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

  /// The value of each byte; 64 for a byte that is not in the alphabet.
  private static let values = table(ending: "+/")
  private static let valuesForURLs = table(ending: "-_")

  private static func table(ending: String) -> [UInt8] {
    var values = [UInt8](repeating: 64, count: 256)
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + ending
    for (value, byte) in letters.utf8.enumerated() { values[Int(byte)] = UInt8(value) }
    return values
  }
}
