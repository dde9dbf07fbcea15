/// A SHA-256 digest of 32 bytes, which names an artifact.
///
/// It is stored as four integers, so that copying, hashing and comparing are cheap. Digests sort by their bytes.
package struct SHA256Digest: Sendable, Hashable {
  // The integers are big-endian values, so comparing them in turn compares the bytes.
  @usableFromInline let words: (UInt64, UInt64, UInt64, UInt64)

  /// Creates a digest from its 32 bytes; nil for any other number of bytes.
  package init?(bytes: [UInt8]) { self.init(span: unsafe bytes.span.bytes) }

  /// Creates a digest from its 32 bytes; nil for any other number of bytes.
  package init?(span: RawSpan) {
    guard span.byteCount == 32 else { return nil }
    words = unsafe (
      UInt64(bigEndian: span.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self)),
      UInt64(bigEndian: span.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt64.self)),
      UInt64(bigEndian: span.unsafeLoadUnaligned(fromByteOffset: 16, as: UInt64.self)),
      UInt64(bigEndian: span.unsafeLoadUnaligned(fromByteOffset: 24, as: UInt64.self))
    )
  }

  /// Creates a digest from 64 hexadecimal digits of either case; nil for any other text.
  package init?(hex: String) {
    guard let digest = hex.withUTF8Bytes({ SHA256Digest(hex: $0) }) else { return nil }
    self = digest
  }

  /// Creates a digest from a text of 64 hexadecimal digits; nil for any other text.
  package init?(hex text: RawSpan, takesCapitals: Bool = true) {
    guard text.byteCount == 64 else { return nil }
    func word(at offset: Int) -> UInt64? {
      guard
        let high = HexDigits.number(in: text, at: offset, takesCapitals: takesCapitals),
        let low = HexDigits.number(in: text, at: offset + 8, takesCapitals: takesCapitals)
      else { return nil }
      return UInt64(high) << 32 | UInt64(low)
    }
    guard let first = word(at: 0), let second = word(at: 16), let third = word(at: 32),
      let last = word(at: 48)
    else { return nil }
    words = (first, second, third, last)
  }

  /// The digest as 64 hexadecimal digits in lower case.
  package var hex: String {
    unsafe String(unsafeUninitializedCapacity: 64) { buffer in
      var place = 0
      func put(_ word: UInt64) {
        for shift in stride(from: UInt64(60), through: 0, by: -4) {
          let digit = UInt8(truncatingIfNeeded: word >> shift) & 15
          unsafe buffer[place] = digit < 10 ? 48 + digit : 87 + digit
          place += 1
        }
      }
      put(words.0)
      put(words.1)
      put(words.2)
      put(words.3)
      return 64
    }
  }

  /// The 32 bytes of the digest.
  package var bytes: [UInt8] {
    withBytes { span in unsafe span.withUnsafeBytes { unsafe Array($0) } }
  }

  /// The first eight bytes as a number, which are enough to tell a limited number of digests apart.
  package var longPrefix: UInt64 { words.0 }

  /// The first four bytes as a number.
  package var prefix: Int32 { Int32(truncatingIfNeeded: words.0 >> 32) }

  /// Passes the 32 bytes to a closure, without allocating memory.
  @inlinable
  package func withBytes<R>(_ body: (RawSpan) throws -> R) rethrows -> R {
    let stored = (
      words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian
    )
    return try unsafe Swift.withUnsafeBytes(of: stored) { try unsafe body($0.bytes) }
  }

  package static func == (left: SHA256Digest, right: SHA256Digest) -> Bool {
    left.words == right.words
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
    hasher.combine(words.2)
    hasher.combine(words.3)
  }
}

extension SHA256Digest: Comparable {
  package static func < (left: SHA256Digest, right: SHA256Digest) -> Bool {
    left.words < right.words
  }
}

extension SHA256Digest: CustomStringConvertible {
  /// The digest as 64 hexadecimal digits in lower case.
  package var description: String { hex }
}
