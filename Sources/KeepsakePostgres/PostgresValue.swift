#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A value that goes with a statement, in PostgreSQL's binary form.
struct PostgresValue: Sendable {
  /// The bytes of the value; nil for `NULL`.
  let bytes: [UInt8]?

  private init(_ bytes: [UInt8]?) { self.bytes = bytes }

  static func number(_ number: Int32) -> Self { Self(bigEndian(number)) }

  static func number(_ number: Int64) -> Self { Self(bigEndian(number)) }

  static func id(_ id: UUID?) -> Self { Self(id?.octets) }

  static func bytes(_ bytes: [UInt8]?) -> Self { Self(bytes) }

  static func text(_ text: String) -> Self { Self(Array(text.utf8)) }

  static func list(of ids: [UUID?]) -> Self { list(2950, ids.map { $0?.octets }) }

  static func list(of bytes: [[UInt8]]) -> Self { list(17, bytes) }

  static func list(of numbers: [Int32]) -> Self { list(23, numbers.map(bigEndian)) }

  static func list(of numbers: [Int64?]) -> Self { list(20, numbers.map { $0.map(bigEndian) }) }

  /// A list of one dimension, whose elements have the type with an object id.
  private static func list(_ type: Int32, _ elements: [[UInt8]?]) -> Self {
    var all: [UInt8] = []
    all.reserveCapacity(elements.reduce(20) { $0 + 4 + ($1?.count ?? 0) })
    let hasNulls = elements.contains { $0 == nil }
    // A list without elements has no dimension.
    all += bigEndian(Int32(elements.isEmpty ? 0 : 1)) + bigEndian(Int32(hasNulls ? 1 : 0))
    all += bigEndian(type)
    if !elements.isEmpty { all += bigEndian(Int32(elements.count)) + bigEndian(Int32(1)) }
    for element in elements {
      all += bigEndian(Int32(element?.count ?? -1))
      if let element { all += element }
    }
    return Self(all)
  }

  /// The bytes of a number, the highest first.
  static func bigEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    (0..<(Number.bitWidth / 8)).map { place in
      UInt8(truncatingIfNeeded: number >> (Number.bitWidth - 8 - 8 * place))
    }
  }
}
