import Keepsake

/// A `data:` URL in the JSON of a record: its media type, and the range of its base64.
struct DataURL {
  /// The media type as declared, with parameters; nil where the URL has none.
  let mediaType: MediaType?
  /// The range of the base64 in the record.
  let payload: Range<Int>

  /// Reads the data URL in a string; nil where the string is none, or is not marked as base64.
  init?(_ string: Range<Int>, in bytes: [UInt8]) {
    // A foreign file may have any value where a string belongs.
    guard string.count >= 2, bytes[string.lowerBound] == UInt8(ascii: "\"") else { return nil }
    let text = (string.lowerBound + 1)..<(string.upperBound - 1)
    // No media type with its parameters is longer than the prefix that is searched.
    guard let comma = bytes[text].prefix(1024).firstIndex(of: UInt8(ascii: ","))
    else { return nil }
    let quoted = [UInt8(ascii: "\"")] + bytes[text.lowerBound..<comma] + [UInt8(ascii: "\"")]
    guard let header = (try? JSON(validating: quoted))?.stringValue else { return nil }
    let lowered = header.lowercased()
    guard lowered.hasPrefix("data:"), lowered.hasSuffix(";base64") else { return nil }
    let type = header.dropFirst(5).dropLast(7)
    mediaType = type.isEmpty ? nil : MediaType(String(type))
    payload = (comma + 1)..<text.upperBound
  }
}
