#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Base64 as it comes in transcripts: alone or in a `data:` URL, with or without line breaks and padding, in either
/// alphabet.
enum Base64 {
  static func decode(_ text: String) throws -> [UInt8] {
    var encoded = text[...]
    if encoded.prefix(5).lowercased() == "data:" {
      guard let comma = encoded.firstIndex(of: ","),
        encoded[..<comma].lowercased().hasSuffix(";base64")
      else {
        throw KeepsakeError(.invalid, "Can't decode the data URL: it is not marked as base64.")
      }
      encoded = encoded[encoded.index(after: comma)...]
    }
    var clean: [UInt8] = []
    clean.reserveCapacity(encoded.utf8.count + 3)
    for byte in encoded.utf8 {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): continue
      case UInt8(ascii: "-"): clean.append(UInt8(ascii: "+"))
      case UInt8(ascii: "_"): clean.append(UInt8(ascii: "/"))
      default: clean.append(byte)
      }
    }
    guard clean.isEmpty || clean.contains(where: { $0 != UInt8(ascii: "=") }) else {
      throw KeepsakeError(.invalid, "Can't decode base64 that is nothing but padding.")
    }
    while clean.count % 4 != 0 { clean.append(UInt8(ascii: "=")) }
    guard let data = Data(base64Encoded: Data(clean)) else {
      throw KeepsakeError(
        .invalid, "Can't decode \(encoded.utf8.count) bytes of base64: they hold something else.")
    }
    return [UInt8](data)
  }
}
