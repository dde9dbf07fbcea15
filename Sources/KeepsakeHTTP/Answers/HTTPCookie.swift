/// A cookie that a response sets, and the reading of those that a request brings.
package struct HTTPCookie: Sendable, Hashable {
  /// The requests of other sites with which a browser sends the cookie.
  package enum SameSite: String, Sendable {
    case strict = "Strict"
    case lax = "Lax"
  }

  package let name: String
  package let value: String
  package var path = "/"
  /// The seconds until the browser forgets it; nil until it ends, and 0 at once.
  package var maxAge: Int?
  /// Whether scripts of a page can't read it.
  package var isHTTPOnly = true
  /// Whether it is sent over encrypted connections only.
  package var isSecure = false
  package var sameSite = SameSite.strict

  /// Creates a cookie; nil where the name or the value has a character that a cookie can't have.
  package init?(name: String, value: String) {
    guard !name.isEmpty, name.utf8.allSatisfy(HeadParser.isNameByte),
      value.utf8.allSatisfy(Self.isValueByte)
    else { return nil }
    self.name = name
    self.value = value
  }

  /// The value of the field `Set-Cookie`.
  package var text: String {
    let path = path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x3B }) ? path : "/"
    var text = "\(name)=\(value); Path=\(path)"
    if let maxAge { text += "; Max-Age=\(maxAge)" }
    if isHTTPOnly { text += "; HttpOnly" }
    if isSecure { text += "; Secure" }
    return text + "; SameSite=\(sameSite.rawValue)"
  }

  /// The values of all cookies of a name that a request brings, in their order.
  ///
  /// Several of one name are the work of another site of the same host. Who trusts a cookie looks at all of them.
  package static func values(of name: String, in fields: HTTPFields) -> [String] {
    fields.values(of: "Cookie").flatMap { $0.split(separator: ";") }.compactMap { pair in
      let pair = HTTPFields.trimmed(pair)
      guard let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")), pair[..<equals] == name else {
        return nil
      }
      var value = pair[pair.utf8.index(after: equals)...]
      if value.utf8.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") {
        value = value.dropFirst().dropLast()
      }
      return value.utf8.allSatisfy(isValueByte) ? String(value) : nil
    }
  }

  private static func isValueByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x21, 0x23...0x2B, 0x2D...0x3A, 0x3C...0x5B, 0x5D...0x7E: true
    default: false
    }
  }
}
