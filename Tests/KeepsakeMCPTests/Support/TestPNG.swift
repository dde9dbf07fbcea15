/// PNG images that are made byte by byte, of any size in pixels and in bytes.
enum TestPNG {
  /// A whole image.
  ///
  /// - Parameters:
  ///   - width: The width in pixels.
  ///   - height: The height in pixels.
  ///   - size: The bytes that the file is to have; nil for as few as there can be.
  static func bytes(width: Int = 4, height: Int = 4, size: Int? = nil) -> [UInt8] {
    let header = big(width) + big(height) + [1, 0, 0, 0, 0]
    // A row of a PNG begins with the number of its filter. The pixels follow, in one bit each.
    let row = [UInt8](repeating: 0, count: 1 + (width + 7) / 8)
    let data = chunk("IDAT", deflated(Array(repeating: row, count: height).flatMap { $0 }))
    let start: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
    let end = chunk("IEND", [])
    let least = start.count + data.count + end.count
    guard let size, size > least else { return start + data + end }
    let comment = [UInt8](repeating: UInt8(ascii: "x"), count: size - least - 12)
    return start + chunk("tEXt", comment) + data + end
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let named = Array(name.utf8) + content
    return big(content.count) + named + big(Int(checksum(named)))
  }

  /// A stream of zlib that holds the bytes as they are.
  private static func deflated(_ bytes: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var start = 0
    repeat {
      let end = min(start + 0xFFFF, bytes.count)
      let count = end - start
      stream.append(end == bytes.count ? 1 : 0)
      stream += [
        UInt8(count & 0xFF), UInt8(count >> 8), UInt8(~count & 0xFF), UInt8(~count >> 8 & 0xFF),
      ]
      stream += bytes[start..<end]
      start = end
    } while start < bytes.count
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      a = (a + UInt32(byte)) % 65_521
      b = (b + a) % 65_521
    }
    return stream + big(Int(b << 16 | a))
  }

  private static func big(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in
      value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
    }
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { $0 >> 8 ^ table[Int(($0 ^ UInt32($1)) & 0xFF)] }
  }
}
