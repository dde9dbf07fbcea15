/// A small image as a PNG file, which is computed for a demonstration.
package struct PNGImage {
  let width: Int
  let height: Int
  /// The red, green and blue of each pixel, row by row.
  private var pixels: [UInt8]

  /// Draws an image from a function that gives the colour of each pixel, with each channel from 0 to 1.
  package init(
    width: Int, height: Int,
    colour: (_ x: Double, _ y: Double) -> (red: Double, green: Double, blue: Double)
  ) {
    self.width = width
    self.height = height
    pixels = []
    pixels.reserveCapacity(width * height * 3)
    for y in 0..<height {
      for x in 0..<width {
        let (red, green, blue) = colour(
          (Double(x) + 0.5) / Double(width), (Double(y) + 0.5) / Double(height))
        for channel in [red, green, blue] {
          pixels.append(UInt8((min(1, max(0, channel)) * 255).rounded()))
        }
      }
    }
  }

  /// The bytes of the file: a header, one block of uncompressed data, and an end.
  package var data: [UInt8] {
    var rows: [UInt8] = []
    for y in 0..<height {
      rows.append(0)  // The filter of the row is "none".
      rows += pixels[(y * width * 3)..<((y + 1) * width * 3)]
    }
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    Self.append("IHDR", Self.bytes(width) + Self.bytes(height) + [8, 2, 0, 0, 0], to: &file)
    Self.append("IDAT", Self.stored(rows), to: &file)
    Self.append("IEND", [], to: &file)
    return file
  }

  private static func append(_ type: String, _ content: [UInt8], to file: inout [UInt8]) {
    let body = Array(type.utf8) + content
    file += bytes(content.count) + body + bytes(Int(crc32(body)))
  }

  /// Makes a zlib stream of uncompressed blocks of at most 65,535 bytes each.
  private static func stored(_ content: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var start = 0
    repeat {
      let end = min(content.count, start + 65_535)
      let count = UInt16(end - start)
      stream.append(end == content.count ? 1 : 0)
      for value in [count, ~count] {
        stream += [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)]
      }
      stream += content[start..<end]
      start = end
    } while start < content.count
    return stream + bytes(Int(adler32(content)))
  }

  /// Returns a number as four big-endian bytes, as in all parts of a PNG.
  private static func bytes(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static func crc32(_ bytes: [UInt8]) -> UInt32 {
    var crc = UInt32.max
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }

  private static func adler32(_ bytes: [UInt8]) -> UInt32 {
    var low: UInt32 = 1
    var high: UInt32 = 0
    for byte in bytes {
      low = (low + UInt32(byte)) % 65_521
      high = (high + low) % 65_521
    }
    return high << 16 | low
  }
}

extension PNGImage {
  /// Draws a banana: the area inside of one circle and outside of another, with dark tips, before a soft background.
  ///
  /// - Parameters:
  ///   - ripeness: The colour from 0, green, to 1, yellow.
  ///   - side: The width and height in pixels.
  static func banana(ripeness: Double, side: Int = 96) -> PNGImage {
    PNGImage(width: side, height: side) { x, y in
      let background = (red: 0.93 - 0.10 * y, green: 0.96 - 0.08 * y, blue: 1.0 - 0.04 * y)
      let outer = 0.40 - distance(x, y, 0.50, 0.42)
      let inner = distance(x, y, 0.50, 0.26) - 0.36
      let depth = min(outer, inner)
      guard depth > 0 else { return background }
      let light = 0.78 + min(0.22, depth * 2.2)
      let tip = min(distance(x, y, 0.12, 0.33), distance(x, y, 0.88, 0.33))
      if tip < 0.055 { return (0.33, 0.24, 0.12) }
      return (
        (0.55 + 0.45 * ripeness) * light, (0.78 + 0.07 * ripeness) * light,
        (0.30 - 0.12 * ripeness) * light
      )
    }
  }

  private static func distance(_ x: Double, _ y: Double, _ toX: Double, _ toY: Double) -> Double {
    ((x - toX) * (x - toX) + (y - toY) * (y - toY)).squareRoot()
  }
}
