/// Determines the type of bytes from their beginning.
///
/// The bytes come from tools and foreign files, so every access is checked, every loop advances, and the work is bounded by the
/// length of the head.
struct Sniffer {
  let bytes: [UInt8]
  let size: Int64

  init(head: [UInt8], size: Int64) {
    bytes = Array(head.prefix(MediaType.sniffedLength))
    self.size = max(size, Int64(head.count))
  }

  /// Whether the head is the whole of the bytes.
  var isWhole: Bool { Int64(bytes.count) == size }

  func mediaType() -> MediaType {
    if bytes.isEmpty { return .octetStream }
    // Signatures come first, then formats without a signature that need checks of their own, then text.
    return signed() ?? riffOrForm() ?? isoMedia() ?? matroska() ?? ogg()
      ?? archive() ?? program() ?? uncompressedImage() ?? mpeg() ?? text() ?? .octetStream
  }

  /// Recognizes formats that have an unmistakable beginning.
  private func signed() -> MediaType? {
    if has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      return isAnimatedPNG ? "image/apng" : .png
    }
    return Self.signatures.first { has($0.bytes) }?.type
  }

  private static let signatures: [(bytes: [UInt8], type: MediaType)] = [
    ([0xFF, 0xD8, 0xFF], .jpeg),
    (Array("GIF87a".utf8), .gif), (Array("GIF89a".utf8), .gif),
    ([0x49, 0x49, 0x2A, 0x00], .tiff), ([0x4D, 0x4D, 0x00, 0x2A], .tiff),
    ([0x49, 0x49, 0x2B, 0x00], .tiff), ([0x4D, 0x4D, 0x00, 0x2B], .tiff),
    ([0x00, 0x00, 0x00, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A], "image/jxl"),
    ([0x00, 0x00, 0x00, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A], "image/jp2"),
    ([0x38, 0x42, 0x50, 0x53, 0x00, 0x01], "image/vnd.adobe.photoshop"),
    ([0x38, 0x42, 0x50, 0x53, 0x00, 0x02], "image/vnd.adobe.photoshop"),
    ([0x76, 0x2F, 0x31, 0x01], "image/x-exr"), ([0x71, 0x6F, 0x69, 0x66, 0x00], "image/qoi"),

    (Array("fLaC".utf8), .flac), (Array("caff".utf8) + [0x00, 0x01], "audio/x-caf"),
    (Array("MThd".utf8) + [0, 0, 0, 6], "audio/midi"), (Array("ADIF".utf8), .aac),
    (Array("#!AMR\n".utf8), "audio/amr"), (Array("#!AMR-WB\n".utf8), "audio/amr-wb"),
    (Array(".snd".utf8) + [0x00], "audio/basic"),
    ([0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11], "video/x-ms-asf"),
    (Array("FLV".utf8) + [0x01], "video/x-flv"),

    (Array("%PDF-".utf8), .pdf), ([0xEF, 0xBB, 0xBF] + Array("%PDF-".utf8), .pdf),
    (Array("{\\rtf".utf8), "application/rtf"), (Array("%!PS".utf8), "application/postscript"),

    ([0x1F, 0x8B, 0x08], "application/gzip"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "application/x-xz"),
    ([0x28, 0xB5, 0x2F, 0xFD], "application/zstd"),
    ([0x04, 0x22, 0x4D, 0x18], "application/x-lz4"),
    ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "application/x-7z-compressed"),
    (Array("Rar!".utf8) + [0x1A, 0x07], "application/vnd.rar"),

    (Array("SQLite format 3".utf8) + [0x00], "application/vnd.sqlite3"),
    ([0x00, 0x61, 0x73, 0x6D, 0x01, 0x00, 0x00, 0x00], "application/wasm"),
    ([0x7F, 0x45, 0x4C, 0x46], "application/x-elf"),
    ([0xFE, 0xED, 0xFA, 0xCE], "application/x-mach-binary"),
    ([0xFE, 0xED, 0xFA, 0xCF], "application/x-mach-binary"),
    ([0xCE, 0xFA, 0xED, 0xFE], "application/x-mach-binary"),
    ([0xCF, 0xFA, 0xED, 0xFE], "application/x-mach-binary"),
    (Array("bplist00".utf8), "application/x-plist"),
    (Array("PAR1".utf8) + [0x15], "application/vnd.apache.parquet"),
    (Array("wOFF".utf8) + [0x00], "font/woff"), (Array("wOFF".utf8) + [0x4F], "font/woff"),
    (Array("wOFFtrue".utf8), "font/woff"),
    (Array("wOF2".utf8) + [0x00], "font/woff2"), (Array("wOF2".utf8) + [0x4F], "font/woff2"),
    (Array("wOF2true".utf8), "font/woff2"),
    (Array("ttcf".utf8) + [0x00], "font/collection"),
    (Array("glTF".utf8) + [0x01, 0, 0, 0], "model/gltf-binary"),
    (Array("glTF".utf8) + [0x02, 0, 0, 0], "model/gltf-binary"),
  ]
}

/// Checked access to the head; nothing is found outside of it.
extension Sniffer {
  func has(_ expected: some Sequence<UInt8>, at offset: Int = 0) -> Bool {
    var index = offset
    for byte in expected {
      guard index < bytes.count, bytes[index] == byte else { return false }
      index += 1
    }
    return true
  }

  func has(_ expected: String, at offset: Int = 0) -> Bool {
    has(expected.utf8, at: offset)
  }

  /// Reads an unsigned number of `count` (at most 4) bytes, the most significant first.
  func bigEndian(at offset: Int, count: Int) -> Int64? {
    guard offset >= 0, offset <= bytes.count - count else { return nil }
    return bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int64($1) }
  }

  /// Reads an unsigned number of `count` (at most 4) bytes, the least significant first.
  func littleEndian(at offset: Int, count: Int) -> Int64? {
    guard offset >= 0, offset <= bytes.count - count else { return nil }
    return bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int64($1) }
  }

  /// Returns the offset at or after `start` at which `pattern` begins; nil if there is none.
  func position(of pattern: [UInt8], from start: Int = 0) -> Int? {
    guard let first = pattern.first, bytes.count >= pattern.count else { return nil }
    var index = start
    while index <= bytes.count - pattern.count {
      if bytes[index] == first, has(pattern, at: index) { return index }
      index += 1
    }
    return nil
  }
}
