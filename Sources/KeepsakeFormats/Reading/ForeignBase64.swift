import Keepsake

/// Reads base64 in the JSON of foreign files: in either alphabet, with line breaks or escapes, or without padding.
enum ForeignBase64 {
  /// The base64 that was found in a record.
  struct Value {
    /// The bytes that the base64 stands for.
    let source: ArtifactSource
    /// The range that can be cut out of the stored source, because the artifact gives it back; nil where it can't.
    let span: SourceSpan?
  }

  /// Reads the base64 at a range of a record, between the quotes; nil where it is empty, or no base64.
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

  /// Decodes base64 in an irregular spelling; nil where it is damaged.
  static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    guard let plain = unescaped(text) else { return nil }
    // The reason for the damage does not matter, because the text is then kept as text.
    guard let bytes = try? Base64.decode(plain), !bytes.isEmpty else { return nil }
    return bytes
  }

  /// The text without JSON's escapes; nil where it has an escape that base64 never needs.
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
