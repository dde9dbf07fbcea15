import Keepsake

/// Cuts base64 out of JSON that is kept and not understood, so that bytes which the store has are not stored again.
enum EmbeddedBase64 {
  private static let depthLimit = 24
  /// The names of members in which programs keep base64 and nothing else.
  private static let names: Set<String> = ["base64", "data", "result", "b64_json", "file_data"]

  /// Cuts base64 out of a value and of all values in it: data URLs, and strings under one of `names`.
  static func cut(_ value: Range<Int>, from record: inout RecordReader) {
    cut(value, named: nil, depth: 0, from: &record)
  }

  private static func cut(
    _ value: Range<Int>, named name: String?, depth: Int, from record: inout RecordReader
  ) {
    guard value.count >= SourceSpan.minimum, depth < depthLimit else { return }
    switch record.bytes[value.lowerBound] {
    case UInt8(ascii: "{"):
      for (key, member) in JSONObject(value, in: record.bytes)?.members ?? [] {
        cut(member, named: key, depth: depth + 1, from: &record)
      }
    case UInt8(ascii: "["):
      for element in JSONText.elements(value, in: record.bytes) ?? [] {
        cut(element, named: name, depth: depth + 1, from: &record)
      }
    case UInt8(ascii: "\""):
      if let url = DataURL(value, in: record.bytes) {
        record.cut(base64: url.payload)
      } else if name.map(names.contains) ?? false {
        record.cut(base64: (value.lowerBound + 1)..<(value.upperBound - 1))
      }
    default: break
    }
  }
}
