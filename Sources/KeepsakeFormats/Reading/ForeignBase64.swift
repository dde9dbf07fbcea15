import Keepsake

/// Base64 as it stands in the JSON of foreign files: in either alphabet, with line breaks, escapes or without padding.
enum ForeignBase64 {
  /// What was found at a place where base64 should be.
  struct Value {
    let source: ArtifactSource
    /// The place, where the store need not have it twice.
    let span: SourceSpan?
  }

  /// The base64 at a range of a record, between the quotes; nil where it is empty, or something else.
  static func value(_ range: Range<Int>, in bytes: [UInt8]) -> Value? {
    if range.isEmpty { return nil }
    if let span = SourceSpan(range, in: bytes) {
      return Value(source: .spelled(bytes[range], span.spelling), span: span)
    }
    if let spelling = Base64Spelling(of: bytes[range]) {
      return Value(source: .spelled(bytes[range], spelling), span: nil)
    }
    return decode(bytes[range]).map { Value(source: .bytes($0), span: nil) }
  }

  /// What base64 holds that is spelled in a way of its own; nil where it is damaged.
  static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var output: [UInt8] = []
    output.reserveCapacity(text.count * 3 / 4 + 3)
    var group: UInt32 = 0
    var held = 0
    var isPadding = false
    var index = text.startIndex
    while index < text.endIndex {
      var byte = text[index]
      index += 1
      if byte == UInt8(ascii: "\\") {
        guard index < text.endIndex else { return nil }
        switch text[index] {
        case UInt8(ascii: "/"): byte = UInt8(ascii: "/")
        case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"): byte = 0x20
        default: return nil
        }
        index += 1
      }
      let value: UInt8
      switch byte {
      case 0x20, 0x0A, 0x0D, 0x09: continue
      case UInt8(ascii: "="):
        isPadding = true
        continue
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = byte - UInt8(ascii: "A")
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = byte - UInt8(ascii: "a") + 26
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - UInt8(ascii: "0") + 52
      case UInt8(ascii: "+"), UInt8(ascii: "-"): value = 62
      case UInt8(ascii: "/"), UInt8(ascii: "_"): value = 63
      default: return nil
      }
      guard !isPadding else { return nil }
      group = group << 6 | UInt32(value)
      held += 1
      if held == 4 {
        output.append(UInt8(truncatingIfNeeded: group >> 16))
        output.append(UInt8(truncatingIfNeeded: group >> 8))
        output.append(UInt8(truncatingIfNeeded: group))
        group = 0
        held = 0
      }
    }
    switch held {
    case 0: break
    case 2: output.append(UInt8(truncatingIfNeeded: group >> 4))
    case 3:
      output.append(UInt8(truncatingIfNeeded: group >> 10))
      output.append(UInt8(truncatingIfNeeded: group >> 2))
    default: return nil
    }
    return output.isEmpty ? nil : output
  }
}
