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
    all.append(bigEndian: Int32(elements.isEmpty ? 0 : 1))
    all.append(bigEndian: Int32(hasNulls ? 1 : 0))
    all.append(bigEndian: type)
    if !elements.isEmpty {
      all.append(bigEndian: Int32(elements.count))
      all.append(bigEndian: Int32(1))
    }
    for element in elements {
      all.append(bigEndian: Int32(element?.count ?? -1))
      if let element { all += element }
    }
    return Self(all)
  }

  /// The bytes of a number, the highest first.
  static func bigEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Number.bitWidth / 8)
    bytes.append(bigEndian: number)
    return bytes
  }
}

extension [UInt8] {
  /// Appends the bytes of a number, the highest first.
  fileprivate mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
    for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}
