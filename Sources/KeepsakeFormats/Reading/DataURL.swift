import Keepsake

/// A `data:` URL as it stands in the JSON of a record: its type, and where its base64 is.
struct DataURL {
  /// As it was declared, with parameters; nil where there is none.
  let mediaType: MediaType?
  let payload: Range<Int>

  /// The data URL in a string; nil where it is none, or not marked as base64.
  init?(_ string: Range<Int>, in bytes: [UInt8]) {
    // Where a string should stand, a foreign file may have anything.
    guard string.count >= 2, bytes[string.lowerBound] == UInt8(ascii: "\"") else { return nil }
    let text = (string.lowerBound + 1)..<(string.upperBound - 1)
    // A type with its parameters is never longer.
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
