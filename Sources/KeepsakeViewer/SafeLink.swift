/// Decides where links in untrusted text may lead.
enum SafeLink {
  private static let schemes = ["https://", "http://", "mailto:"]

  /// The URL for a link's `href`; nil for a URL that a page must not link to, with another scheme or none.
  static func href(_ destination: String) -> String? {
    let bytes = Array(destination.utf8)
    guard bytes.count <= 4096,
      let scheme = schemes.first(where: { scheme in
        bytes.count > scheme.utf8.count
          && zip(bytes, scheme.utf8).allSatisfy { asciiLowercased($0) == $1 }
      }), !bytes.contains(where: { $0 <= 0x20 || $0 == 0x7F })
    else { return nil }
    return scheme + encoded(bytes.dropFirst(scheme.utf8.count))
  }

  /// Percent-encodes bytes that no URL may hold. Percent signs stay.
  private static func encoded(_ bytes: ArraySlice<UInt8>) -> String {
    var text: [UInt8] = []
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in bytes {
      let isPlain =
        0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
        || "-._~:/?#[]@!$&()*+,;=%".utf8.contains(byte)
      if isPlain {
        text.append(byte)
      } else {
        text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func asciiLowercased(_ byte: UInt8) -> UInt8 {
    0x41...0x5A ~= byte ? byte | 0x20 : byte
  }

  /// Finds bare URLs in a text in one pass. A URL ends at a space, and without the punctuation before it.
  static func bare(in text: String) -> [Range<String.Index>] {
    let bytes = text.utf8
    var found: [Range<String.Index>] = []
    var index = bytes.startIndex
    var before: UInt8 = 0x20
    while index < bytes.endIndex {
      guard bytes[index] == UInt8(ascii: "h"), !isWord(before),
        let start = ["https://", "http://"].first(where: { bytes[index...].starts(with: $0.utf8) })
      else {
        before = bytes[index]
        index = bytes.index(after: index)
        continue
      }
      let body = bytes.index(index, offsetBy: start.utf8.count)
      var end = body
      var open = 0
      while end < bytes.endIndex, isInURL(bytes[end]) {
        if bytes[end] == UInt8(ascii: "(") { open += 1 }
        if bytes[end] == UInt8(ascii: ")") {
          if open == 0 { break }
          open -= 1
        }
        end = bytes.index(after: end)
      }
      let whole = end
      while end > body, ".,:;!?*_~".utf8.contains(bytes[bytes.index(before: end)]) {
        end = bytes.index(before: end)
      }
      if end > body { found.append(index..<end) }
      before = UInt8(ascii: "/")
      index = whole
    }
    return found
  }

  /// The host of a link, where the link's text looks like a URL or a host and names another host; nil otherwise.
  static func otherHost(of href: String, than text: String) -> String? {
    guard let real = host(of: href) else { return nil }
    let said = text.trimmingPrefix { $0 == " " }
    let named =
      host(of: said.lowercased())
      ?? host(of: "https://" + said.lowercased()).flatMap { looksLikeHost($0) ? $0 : nil }
    guard let named, named != real, "www." + named != real, named != "www." + real else {
      return nil
    }
    return real
  }

  private static func host(of url: some StringProtocol) -> String? {
    guard let start = url.firstRange(of: "://") else { return nil }
    let authority = url[start.upperBound...].prefix { !"/?#\\".contains($0) }
    let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    let name = host.prefix { $0 != ":" }.lowercased()
    return name.isEmpty ? nil : name
  }

  private static func looksLikeHost(_ text: String) -> Bool {
    text.contains(".") && !text.hasPrefix(".") && !text.hasSuffix(".")
      && text.utf8.allSatisfy { isWord($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
  }

  private static func isInURL(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte != 0x7F && !"<>\"'`{}|\\^".utf8.contains(byte)
  }
}
