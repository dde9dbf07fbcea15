/// Random bytes in a row's digest, without which erased content could be guessed and verified by the digest.
package struct Salt: Sendable {
  /// The number of bytes in a salt.
  package static let size = 16

  @usableFromInline let bytes: (UInt64, UInt64)

  /// Creates a new random salt.
  package init() { bytes = RandomPool.next() }

  /// Reads a stored salt; nil for any other number of bytes, which means that the store is damaged.
  package init?(_ span: RawSpan) {
    guard span.byteCount == Self.size else { return nil }
    bytes = unsafe (
      span.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self),
      span.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt64.self)
    )
  }

  /// Passes the 16 bytes to a closure, without allocating memory.
  @inlinable
  package func withBytes<R>(_ body: (RawSpan) throws -> R) rethrows -> R {
    try unsafe Swift.withUnsafeBytes(of: bytes) { try unsafe body($0.bytes) }
  }
}
