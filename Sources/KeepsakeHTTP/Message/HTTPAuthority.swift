/// A host and a port, as the field `Host` of a request names them.
package struct HTTPAuthority: Sendable, Hashable, CustomStringConvertible {
  /// The name or address in lower case. An address of IPv6 has its brackets.
  package let host: String
  /// The port; nil where none is named, which means the usual one.
  package let port: Int?

  package init(host: String, port: Int?) {
    self.host = host
    self.port = port
  }

  /// Reads `name`, `name:port`, `1.2.3.4:port` or `[::1]:port`; nil for everything else.
  ///
  /// A name of a user, an empty name, and a colon without a port are refused.
  package init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count <= 255 else { return nil }
    let end: Int
    if bytes.first == UInt8(ascii: "[") {
      guard let close = bytes.firstIndex(of: UInt8(ascii: "]")), close > 2,
        bytes[1..<close].allSatisfy(Self.isAddressByte)
      else { return nil }
      end = close + 1
    } else {
      end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
      guard end > 0, bytes[..<end].allSatisfy(Self.isNameByte) else { return nil }
    }
    host = String(decoding: bytes[..<end], as: UTF8.self).lowercased()
    if end == bytes.count {
      port = nil
      return
    }
    let digits = bytes[(end + 1)...]
    guard bytes[end] == UInt8(ascii: ":"), (1...5).contains(digits.count),
      digits.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    guard number <= 65_535 else { return nil }
    port = number
  }

  package var description: String { port.map { "\(host):\($0)" } ?? host }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
    default: false
    }
  }

  private static func isAddressByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66, 0x2E, 0x3A: true
    default: false
    }
  }
}
