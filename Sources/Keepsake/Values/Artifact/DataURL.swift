/// Decodes a `data:` URL (RFC 2397), as programs write it in transcripts.
///
/// Where the RFC leaves room, this reads as browsers do: a percent sign without two digits stands for itself, and so do letters
/// beyond ASCII. In text, `#` and line breaks stand for themselves as well, because nobody puts a fragment after a
/// conversation's data.
enum DataURL {
  /// Returns whether a text is a data URL; white space may stand before it.
  static func isOne(_ text: String) -> Bool {
    text.utf8.drop(while: \.isBlank).prefix(5)
      .elementsEqual("data:".utf8) { $0.asciiLowercased == $1 }
  }

  /// Decodes the bytes of a data URL, written as base64 or percent-encoded; throws if the URL is malformed.
  static func decode(_ text: String) throws -> [UInt8] {
    let url = Array(text.utf8)
    guard let colon = url.firstIndex(of: UInt8(ascii: ":")),
      let comma = url[colon...].firstIndex(of: UInt8(ascii: ","))
    else {
      throw KeepsakeError(
        .invalid, "Can't decode the data URL: no comma stands before its data. Give all of it.")
    }
    // In the RFC, `base64` is a word by itself; an attribute of that name would have a value.
    let isBase64 = url[(colon + 1)..<comma].split(separator: UInt8(ascii: ";")).contains { word in
      word.filter { !$0.isBlank }.map(\.asciiLowercased).elementsEqual("base64".utf8)
    }
    let data = decodePercents(url[(comma + 1)...])
    return isBase64 ? try Base64.decode(data) : data
  }

  /// Returns the media type that a data URL declares; nil where it declares none.
  static func mediaType(_ text: String) -> MediaType? {
    let type = text.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst()
      .prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
    guard type.contains(UInt8(ascii: "/")), type.count <= 256 else { return nil }
    return MediaType(String(decoding: type.filter { !$0.isBlank }, as: UTF8.self))
  }

  private static func decodePercents(_ encoded: ArraySlice<UInt8>) -> [UInt8] {
    guard encoded.contains(UInt8(ascii: "%")) else { return Array(encoded) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encoded.count)
    var index = encoded.startIndex
    while index < encoded.endIndex {
      let byte = encoded[index]
      if byte == UInt8(ascii: "%"), index + 2 < encoded.endIndex,
        let high = encoded[index + 1].hexValue, let low = encoded[index + 2].hexValue
      {
        bytes.append(high << 4 | low)
        index += 3
      } else {
        bytes.append(byte)
        index += 1
      }
    }
    return bytes
  }
}
