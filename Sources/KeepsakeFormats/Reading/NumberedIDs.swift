#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// A set of ids, each with a number or without one.
///
/// Only 64 bits of each id's digest are kept, which two different ids share once in 2⁶⁴ pairs.
struct NumberedIDs: Sendable {
  private static let none: Int32 = -1

  private var numbers: [UInt64: Int32] = [:]

  private static func key(_ id: String) -> UInt64 {
    SHA256.digest(of: Array(id.utf8)).longPrefix
  }

  /// The number of an id; nil where the id has none, or is not in the set.
  subscript(id: String) -> Int? {
    get { numbers[Self.key(id)].flatMap { $0 == Self.none ? nil : Int($0) } }
    set { numbers[Self.key(id)] = newValue.map(Int32.init) ?? Self.none }
  }

  /// Returns whether all numbers lie in a range.
  func areAll(in numbers: Range<Int>) -> Bool {
    self.numbers.values.allSatisfy { $0 == Self.none || numbers.contains(Int($0)) }
  }

  /// Adds an id, unless it is in the set.
  /// - Returns: Whether the id is new.
  mutating func insert(_ id: String, _ number: Int?) -> Bool {
    let key = Self.key(id)
    if numbers[key] != nil { return false }
    numbers[key] = number.map(Int32.init) ?? Self.none
    return true
  }
}

extension NumberedIDs: Codable {
  /// The stored size of an id with its number, in bytes.
  private static let size = 12

  init(from decoder: any Decoder) throws {
    let bytes = Array(try decoder.singleValueContainer().decode(Data.self))
    func integer(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
    for start in stride(from: 0, to: bytes.count - bytes.count % Self.size, by: Self.size) {
      let number = UInt32(integer((start + 8)..<(start + Self.size)))
      numbers[integer(start..<(start + 8))] = Int32(bitPattern: number)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.size * numbers.count)
    for (key, number) in numbers.sorted(by: { $0.key < $1.key }) {
      withBigEndian(key, &bytes)
      withBigEndian(UInt32(bitPattern: number), &bytes)
    }
    var container = encoder.singleValueContainer()
    try container.encode(Data(bytes))
  }

  private func withBigEndian(_ value: some FixedWidthInteger, _ bytes: inout [UInt8]) {
    for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }
}
