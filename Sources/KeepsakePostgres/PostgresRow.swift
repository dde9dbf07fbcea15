#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeFiles

/// A row that a server answered, whose fields are read by their place. Nothing is copied of a field that nobody reads.
struct PostgresRow: Sendable {
  let result: PostgresResult
  /// The place of the row in the result.
  let place: Int32

  /// Tells whether a field is `NULL`.
  func isNull(_ field: Int) -> Bool { result.isNull(field, row: place) }

  func bytes(_ field: Int) throws(PostgresFailure) -> [UInt8] {
    try value(field) { Array(copying: $0) }
  }

  func text(_ field: Int) throws(PostgresFailure) -> String {
    String(decoding: try bytes(field), as: UTF8.self)
  }

  func bool(_ field: Int) throws(PostgresFailure) -> Bool {
    guard let number = try value(field, { Self.number($0, size: 1) }) else {
      throw .strange("field \(field) is neither true nor false")
    }
    return number != 0
  }

  func number(_ field: Int) throws(PostgresFailure) -> Int64 {
    let number: Int64? = try value(field) { bytes in
      switch bytes.byteCount {
      case 4: Self.number(bytes, size: 4).map { Int64(Int32(truncatingIfNeeded: $0)) }
      case 8: Self.number(bytes, size: 8).map { Int64(bitPattern: $0) }
      default: nil
      }
    }
    guard let number else { throw .strange("field \(field) is no number") }
    return number
  }

  func id(_ field: Int) throws(PostgresFailure) -> UUID {
    guard let id = try value(field, { UUID(bytes: $0) }) else {
      throw .strange("field \(field) is no id")
    }
    return id
  }

  /// The id in a field; nil where there is none.
  func optionalID(_ field: Int) throws(PostgresFailure) -> UUID? {
    isNull(field) ? nil : try id(field)
  }

  /// Returns the digest in a field; nil for a value of another size.
  func digest(_ field: Int) throws(PostgresFailure) -> SHA256Digest? {
    try value(field) { SHA256Digest(span: $0) }
  }

  /// Reads the value of a field, which must not be `NULL`.
  private func value<Value>(
    _ field: Int, _ body: (RawSpan) -> Value
  ) throws(PostgresFailure) -> Value {
    guard let value = result.withField(field, row: place, body) else {
      throw .strange("field \(field) has no value")
    }
    return value
  }

  /// Reads a whole number with its most significant byte first; nil for a value of another size.
  private static func number(_ bytes: RawSpan, size: Int) -> UInt64? {
    guard bytes.byteCount == size else { return nil }
    return (0..<size).reduce(0) {
      unsafe $0 << 8 | UInt64(bytes.unsafeLoad(fromByteOffset: $1, as: UInt8.self))
    }
  }
}
