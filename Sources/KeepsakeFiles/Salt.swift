/// Random bytes that go into a row's digest, so that it does not betray what it was of: without them, what was erased could
/// be guessed and tried.
public struct Salt: Sendable {
  /// How many bytes it has.
  public static let size = 16

  @usableFromInline let bytes: (UInt64, UInt64)

  /// One that nobody else has.
  public init() { bytes = RandomPool.next() }

  /// A stored one; nil for any other number of bytes, which is damage.
  public init?(_ span: RawSpan) {
    guard span.byteCount == Self.size else { return nil }
    bytes = unsafe (
      span.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self),
      span.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt64.self)
    )
  }

  /// Lends the 16 bytes to the body without allocating.
  @inlinable
  public func withBytes<R>(_ body: (RawSpan) throws -> R) rethrows -> R {
    try unsafe Swift.withUnsafeBytes(of: bytes) { try unsafe body($0.bytes) }
  }
}
