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
    guard let plain = unescaped(text) else { return nil }
    // Why it is damaged does not matter here: it is kept as the text that it is.
    guard let bytes = try? Base64.decode(plain), !bytes.isEmpty else { return nil }
    return bytes
  }

  /// The text without JSON's escapes; nil where it has one that no base64 needs.
  private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.contains(UInt8(ascii: "\\")) else { return Array(text) }
    var plain: [UInt8] = []
    plain.reserveCapacity(text.count)
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        plain.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "/"): plain.append(UInt8(ascii: "/"))
      case UInt8(ascii: "n"): plain.append(UInt8(ascii: "\n"))
      case UInt8(ascii: "r"): plain.append(UInt8(ascii: "\r"))
      case UInt8(ascii: "t"): plain.append(UInt8(ascii: "\t"))
      default: return nil
      }
    }
    return plain
  }
}
