/// Writes names in an address as the signature of Amazon's S3 wants them: everything but letters, digits and `-._~` as
/// `%` and two hexadecimal digits.
enum PercentEncoding {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// Encodes a name or a value, slashes too.
  static func encoded(_ text: String) -> String { encoded(text, slashes: true) }

  /// Encodes the key of an object, whose slashes stay.
  static func path(_ key: String) -> String { encoded(key, slashes: false) }

  private static func encoded(_ text: String, slashes: Bool) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count + 16)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        bytes.append(byte)
      case UInt8(ascii: "/") where !slashes: bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
