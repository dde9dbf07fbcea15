import Files
import SQLite

/// Random bytes that go into a row's digest, so that it does not betray what it was of: without them, what was erased could
/// be guessed and tried.
struct Salt: Sendable {
  static let size = 16

  private let bytes: (UInt64, UInt64)

  /// One that nobody else has.
  init() { bytes = RandomPool.next() }

  /// A stored one; nil for any other number of bytes, which is damage.
  init?(_ span: RawSpan) {
    guard span.byteCount == Self.size else { return nil }
    bytes = unsafe (
      span.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self),
      span.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt64.self)
    )
  }

  /// Lends the 16 bytes to the body without allocating.
  func withBytes<R>(_ body: (RawSpan) throws -> R) rethrows -> R {
    try unsafe Swift.withUnsafeBytes(of: bytes) { try unsafe body($0.bytes) }
  }
}

extension Statement {
  /// Binds a salt as a blob of 16 bytes.
  func bind(_ value: Salt, at index: Int) {
    value.withBytes { bind($0, at: index) }
  }

  /// A salt; nil for NULL, and for anything that is not 16 bytes.
  func salt(_ column: Int) -> Salt? { Salt(span(column)) }
}
