/// Sniffing of images whose first bytes alone prove too little.
extension Sniffer {
  /// Whether an `acTL` chunk comes before the first `IDAT` chunk of a PNG.
  var isAnimatedPNG: Bool {
    var offset = 8
    while let length = bigEndian(at: offset, count: 4), length < Int64(bytes.count) {
      if has("acTL", at: offset + 4) { return true }
      if has("IDAT", at: offset + 4) { return false }
      offset += 12 + Int(length)
    }
    return false
  }

  func uncompressedImage() -> MediaType? {
    if isBitmap { return .bmp }
    if isIcon { return "image/vnd.microsoft.icon" }
    if isJPEGXLCodestream { return "image/jxl" }
    return nil
  }

  /// Whether the bytes are a BMP image: `BM` begins many texts, so the following header must be valid too.
  private var isBitmap: Bool {
    guard has("BM"), let pixels = littleEndian(at: 10, count: 4),
      let header = littleEndian(at: 14, count: 4)
    else { return false }
    let isKnown = [12, 16, 40, 52, 56, 64, 108, 124].contains(header)
    let planes = littleEndian(at: header == 12 ? 22 : 26, count: 2)
    return isKnown && planes == 1 && pixels >= 14 + header && pixels < size
  }

  private var isIcon: Bool {
    guard has([0, 0, 1, 0]), let count = littleEndian(at: 4, count: 2), count > 0,
      let length = littleEndian(at: 14, count: 4), let start = littleEndian(at: 18, count: 4)
    else { return false }
    return bytes[9] == 0 && length > 0 && start >= 6 + 16 * count && start + length <= size
  }

  /// Whether the bytes are a bare JPEG XL stream: its two bytes of signature are in no UTF-8 text, and a short text is no
  /// image.
  private var isJPEGXLCodestream: Bool { has([0xFF, 0x0A]) && size >= 12 }
}
