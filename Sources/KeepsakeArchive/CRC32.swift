/// The CRC-32 checksum, which gzip stores at the end of a file.
struct CRC32 {
  private(set) var value: UInt32 = 0

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in
      value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
    }
  }

  mutating func add(_ bytes: [UInt8]) {
    let table = Self.table
    var rest = ~value
    for byte in bytes { rest = table[Int(UInt8(truncatingIfNeeded: rest) ^ byte)] ^ (rest >> 8) }
    value = ~rest
  }
}
