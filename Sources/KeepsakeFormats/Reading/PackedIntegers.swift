#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A list of small integers that is encoded as bytes, four for each.
///
/// The state of a reading is stored after each batch of lines, and encoding it as a list of JSON would take most of
/// that time.
struct PackedIntegers: Sendable, Equatable {
  private var integers: [Int32]

  init(_ integers: [Int]) { self.integers = integers.map(Int32.init) }

  var count: Int { integers.count }

  subscript(index: Int) -> Int {
    get { Int(integers[index]) }
    set { integers[index] = Int32(newValue) }
  }

  mutating func append(_ integer: Int) { integers.append(Int32(integer)) }
}

extension PackedIntegers: Codable {
  init(from decoder: any Decoder) throws {
    let bytes = Array(try decoder.singleValueContainer().decode(Data.self))
    integers = stride(from: 0, to: bytes.count - bytes.count % 4, by: 4).map { start in
      Int32(bitPattern: bytes[start..<(start + 4)].reduce(0) { $0 << 8 | UInt32($1) })
    }
  }

  func encode(to encoder: any Encoder) throws {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(4 * integers.count)
    for integer in integers {
      let word = UInt32(bitPattern: integer)
      for shift: UInt32 in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
    }
    var container = encoder.singleValueContainer()
    try container.encode(Data(bytes))
  }
}
