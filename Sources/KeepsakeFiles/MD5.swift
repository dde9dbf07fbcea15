#if canImport(CryptoKit)
  import CryptoKit
#else
  import CKeepsakeCrypto
#endif

/// Computes MD5, which object stores take as a checksum of what is sent to them. It protects against accidents only.
package enum MD5 {
  /// The 16 bytes of the digest of an array of bytes.
  package static func digest(of bytes: [UInt8]) -> [UInt8] {
    #if canImport(CryptoKit)
      return Array(Insecure.MD5.hash(data: bytes))
    #else
      var digest = [UInt8](repeating: 0, count: Int(MD5_DIGEST_LENGTH))
      let isDone = unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe digest.withUnsafeMutableBufferPointer { digest in
          unsafe CKeepsakeCrypto.MD5(bytes.baseAddress, bytes.count, digest.baseAddress) != nil
        }
      }
      precondition(isDone, "libcrypto failed to compute MD5.")
      return digest
    #endif
  }
}
