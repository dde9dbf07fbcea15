/// The keys with which requests are signed. No description, dump or error shows them.
package struct ObjectCredentials: Sendable, Hashable {
  let keyID: String
  let secret: String
  let token: String?

  package init(keyID: String, secret: String, token: String? = nil) {
    self.keyID = keyID
    self.secret = secret
    self.token = token
  }

  /// Takes the keys out of a text that came from elsewhere.
  func hidden(in text: String) -> String {
    // The longest comes first, as one may be a part of another.
    let all = [keyID, secret, token ?? ""].filter { !$0.isEmpty }
    return all.sorted { $0.utf8.count > $1.utf8.count }
      .reduce(text) { text, one in Self.replaced(one, in: text) }
  }

  private static func replaced(_ secret: String, in text: String) -> String {
    let (wanted, bytes) = (Array(secret.utf8), Array(text.utf8))
    var result: [UInt8] = []
    var place = 0
    while place < bytes.count {
      if bytes[place...].starts(with: wanted) {
        result += Array("…".utf8)
        place += wanted.count
      } else {
        result.append(bytes[place])
        place += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

extension ObjectCredentials: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  package var description: String { "ObjectCredentials(…)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
