import KeepsakeFiles

/// A secret that proves who asks: 256 random bits, written in hexadecimal.
struct AccessToken: Sendable {
  let text: String

  /// Makes a new token from the system's source of randomness.
  init() {
    text = [UInt8](random: 32).map { byte in
      let digits = String(byte, radix: 16)
      return digits.utf8.count == 1 ? "0" + digits : digits
    }.joined()
  }

  /// Takes a token that a person keeps in a file; nil for one that is too short to be a secret.
  init?(kept text: String) {
    guard text.utf8.count >= 32, text.utf8.count <= 256,
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { return nil }
    self.text = text
  }

  /// A secret for another purpose, which follows from this one and tells nothing of it.
  ///
  /// The server of a kept token knows its browsers again after it was started anew.
  func derived(for purpose: StaticString) -> AccessToken {
    AccessToken(digest: SHA256.digest(of: Array("keepsake.\(purpose).1\n\(text)".utf8)))
  }

  private init(digest: SHA256Digest) { text = digest.hex }

  /// Compares with a text that somebody gave.
  ///
  /// The time depends on the length of the text alone, so that no part of a token can be found by trying.
  func matches(_ given: some StringProtocol) -> Bool {
    let own = SHA256.digest(of: Array(text.utf8)).bytes
    let other = SHA256.digest(of: Array(given.utf8)).bytes
    var difference: UInt8 = 0
    for index in own.indices { difference |= own[index] ^ other[index] }
    return difference == 0
  }
}
