#if canImport(CryptoKit)
  import CryptoKit
#else
  import CKeepsakeCrypto
#endif

/// Computes SHA-256 over bytes that come in pieces.
package struct SHA256: ~Copyable, Sendable {
  #if canImport(CryptoKit)
    private var state = CryptoKit.SHA256()
  #else
    private var state = SHA256_CTX()
  #endif

  /// Creates a computation that has seen no bytes yet.
  package init() {
    #if !canImport(CryptoKit)
      begin()
    #endif
  }

  #if !canImport(CryptoKit)
    private mutating func begin() {
      Self.check(unsafe SHA256_Init(&state))
    }

    @inline(__always)
    private static func check(_ result: Int32) {
      // The software digest can't fail on valid arguments, and a wrong digest must never be used.
      precondition(result == 1, "libcrypto failed to compute SHA-256.")
    }
  #endif

  /// Adds more bytes.
  package mutating func update(_ span: RawSpan) {
    unsafe span.withUnsafeBytes { unsafe update($0) }
  }

  /// Adds more bytes.
  package mutating func update(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { unsafe update($0) }
  }

  /// Adds the UTF-8 of a text.
  package mutating func update(_ text: String) {
    var text = text
    text.withUTF8 { unsafe update(UnsafeRawBufferPointer($0)) }
  }

  private mutating func update(_ buffer: UnsafeRawBufferPointer) {
    #if canImport(CryptoKit)
      unsafe state.update(bufferPointer: buffer)
    #else
      Self.check(unsafe SHA256_Update(&state, buffer.baseAddress, buffer.count))
    #endif
  }

  /// Returns the digest of all bytes so far, and makes the value ready for a new message.
  package mutating func finalize() -> SHA256Digest {
    #if canImport(CryptoKit)
      let result = state.finalize()
      state = CryptoKit.SHA256()
      let digest = unsafe result.withUnsafeBytes { unsafe SHA256Digest(span: $0.bytes) }
    #else
      var result: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
      let digest = unsafe withUnsafeMutableBytes(of: &result) { buffer in
        let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        Self.check(unsafe SHA256_Final(start, &state))
        return unsafe SHA256Digest(span: buffer.bytes)
      }
      begin()
    #endif
    guard let digest else { preconditionFailure("A SHA-256 digest was not 32 bytes.") }
    return digest
  }

  /// Returns a copy of the computation with the bytes so far, which can continue with other bytes.
  package borrowing func copy() -> SHA256 {
    var copy = SHA256()
    copy.state = state
    return copy
  }

  /// The digest of an array of bytes.
  package static func digest(of bytes: [UInt8]) -> SHA256Digest {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finalize()
  }

  /// The digest of a span of bytes.
  package static func digest(of span: RawSpan) -> SHA256Digest {
    var hash = SHA256()
    hash.update(span)
    return hash.finalize()
  }
}
