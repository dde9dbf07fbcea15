/// Finds an image's width and height in its header.
struct ImageMeasure {
  /// The most segments or boxes to read one after the other; a file with more, such as a megabyte of empty ones, is no image.
  static let stepLimit = 4096

  let bytes: SparseBytes

  init(_ bytes: SparseBytes) {
    self.bytes = bytes
  }

  /// Returns the size; nil if the bytes at hand prove that none can be found.
  func pixelSize() throws(SparseBytes.Missing) -> PixelSize? {
    switch try bytes.bigEndian(at: 0, count: 2) {
    case 0x8950: return try png()
    case 0xFFD8: return try jpeg()
    case 0x4749: return try gif()
    case 0x5249: return try webp()
    case 0x424D: return try bitmap()
    default: return try bytes.has("ftyp", at: 4) ? ItemMeasure(bytes).pixelSize() : nil
    }
  }

  private func png() throws(SparseBytes.Missing) -> PixelSize? {
    guard try bytes.has("IHDR", at: 12) else { return nil }
    return size(
      try bytes.bigEndian(at: 16, count: 4), try bytes.bigEndian(at: 20, count: 4))
  }

  private func gif() throws(SparseBytes.Missing) -> PixelSize? {
    // GIF87a and GIF89a.
    guard try bytes.has("GIF8", at: 0), try bytes.has("a", at: 5) else { return nil }
    return size(
      try bytes.littleEndian(at: 6, count: 2), try bytes.littleEndian(at: 8, count: 2))
  }

  private func bitmap() throws(SparseBytes.Missing) -> PixelSize? {
    if try bytes.littleEndian(at: 14, count: 4) == 12 {
      return size(
        try bytes.littleEndian(at: 18, count: 2), try bytes.littleEndian(at: 20, count: 2))
    }
    let width = try bytes.littleEndian(at: 18, count: 4)
    let height = Int32(truncatingIfNeeded: try bytes.littleEndian(at: 22, count: 4))
    // A negative height means that the rows go from top to bottom.
    return size(width, Int64(height.magnitude))
  }

  private func webp() throws(SparseBytes.Missing) -> PixelSize? {
    guard try bytes.has("RIFF", at: 0), try bytes.has("WEBP", at: 8) else { return nil }
    if try bytes.has("VP8X", at: 12) {
      return size(
        try bytes.littleEndian(at: 24, count: 3) + 1, try bytes.littleEndian(at: 27, count: 3) + 1)
    }
    if try bytes.has("VP8L", at: 12) {
      guard try bytes.bigEndian(at: 20, count: 1) == 0x2F else { return nil }
      let bits = try bytes.littleEndian(at: 21, count: 4)
      return size(bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
    }
    guard try bytes.has("VP8 ", at: 12), try bytes.bigEndian(at: 23, count: 3) == 0x9D012A else {
      return nil
    }
    // The upper two bits are the scale for display.
    return size(
      try bytes.littleEndian(at: 26, count: 2) & 0x3FFF,
      try bytes.littleEndian(at: 28, count: 2) & 0x3FFF)
  }

  /// Reads the segments up to the frame header, which comes after all metadata.
  private func jpeg() throws(SparseBytes.Missing) -> PixelSize? {
    var offset: Int64 = 2
    for _ in 0..<Self.stepLimit {
      guard try bytes.bigEndian(at: offset, count: 1) == 0xFF else { return nil }
      let marker = try bytes.bigEndian(at: offset + 1, count: 1)
      switch marker {
      case 0xFF:
        // Fill bytes may precede any marker.
        offset += 1
      case 0x01, 0xD0...0xD7: offset += 2
      case 0xC0...0xCF where marker != 0xC4 && marker != 0xC8 && marker != 0xCC:
        return size(
          try bytes.bigEndian(at: offset + 7, count: 2),
          try bytes.bigEndian(at: offset + 5, count: 2))
      case 0x00, 0xD8...0xDA: return nil
      default:
        let length = try bytes.bigEndian(at: offset + 2, count: 2)
        guard length >= 2 else { return nil }
        offset += 2 + length
      }
    }
    return nil
  }

  private func size(_ width: Int64, _ height: Int64) -> PixelSize? {
    guard let width = Int(exactly: width), let height = Int(exactly: height) else { return nil }
    return PixelSize(width: width, height: height)
  }
}
