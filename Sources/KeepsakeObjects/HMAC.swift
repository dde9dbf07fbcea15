import KeepsakeFiles

/// Computes HMAC with SHA-256 (RFC 2104), with which requests are signed.
enum HMAC {
  private static let block = 64

  /// The code of a message under a key of any length.
  static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    var padded = key.count > block ? SHA256.digest(of: key).bytes : key
    padded += [UInt8](repeating: 0, count: block - padded.count)
    let inner = SHA256.digest(of: padded.map { $0 ^ 0x36 } + message)
    return SHA256.digest(of: padded.map { $0 ^ 0x5C } + inner.bytes).bytes
  }
}
