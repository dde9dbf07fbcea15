import Keepsake

/// Tells whether the bytes of an image are whole, for the formats that models are shown.
///
/// An image that is cut off, or is something else than its type says, makes the services behind clients refuse the whole
/// conversation, for good. So only what is intact to its end is shown.
enum ImageStructure {
  /// The types that all services take.
  static let types: [MediaType] = [.png, .jpeg, .gif, .webp]

  /// Returns whether bytes are an image of a type, from its first to its last part.
  static func isWhole(_ bytes: [UInt8], as type: MediaType) -> Bool {
    switch type {
    case .png: isWholePNG(bytes)
    case .jpeg: isWholeJPEG(bytes)
    case .gif: isWholeGIF(bytes)
    case .webp: isWholeWebP(bytes)
    default: false
    }
  }

  /// Each chunk of a PNG has its checksum, and the last one is the end.
  private static func isWholePNG(_ bytes: [UInt8]) -> Bool {
    guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else { return false }
    var offset = 8
    var hasData = false
    while offset + 12 <= bytes.count {
      let length = bigEndian(bytes, offset)
      guard length <= bytes.count - offset - 12 else { return false }
      let name = bytes[(offset + 4)..<(offset + 8)]
      let end = offset + 8 + length
      guard checksum(bytes[(offset + 4)..<end]) == UInt32(bigEndian(bytes, end)) else {
        return false
      }
      if name.elementsEqual("IDAT".utf8) { hasData = true }
      if name.elementsEqual("IEND".utf8) { return hasData && end + 4 == bytes.count }
      offset = end + 4
    }
    return false
  }

  /// Segments, then the coded picture, then the mark of the end. Cameras add more pictures behind it.
  private static func isWholeJPEG(_ bytes: [UInt8]) -> Bool {
    guard bytes.starts(with: [0xFF, 0xD8]) else { return false }
    var offset = 2
    var hasScan = false
    while offset + 1 < bytes.count {
      guard bytes[offset] == 0xFF else {
        // Coded data of a picture; before the first scan there is none.
        guard hasScan else { return false }
        offset += 1
        continue
      }
      switch bytes[offset + 1] {
      case 0xFF: offset += 1
      case 0xD9: return hasScan
      case 0x00, 0x01, 0xD0...0xD7:
        guard hasScan || bytes[offset + 1] == 0x01 else { return false }
        offset += 2
      default:
        guard offset + 3 < bytes.count else { return false }
        let length = Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
        guard length >= 2 else { return false }
        if bytes[offset + 1] == 0xDA { hasScan = true }
        offset += 2 + length
      }
    }
    return false
  }

  /// Blocks up to the trailer, which is the last byte.
  private static func isWholeGIF(_ bytes: [UInt8]) -> Bool {
    guard bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8),
      bytes.count > 13
    else { return false }
    var offset = 13
    if bytes[10] & 0x80 != 0 { offset += 3 << (Int(bytes[10] & 7) + 1) }
    var hasPicture = false
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x3B: return hasPicture && offset + 1 == bytes.count
      case 0x21: offset += 2
      case 0x2C:
        guard offset + 10 < bytes.count else { return false }
        let flags = bytes[offset + 9]
        offset += 10
        if flags & 0x80 != 0 { offset += 3 << (Int(flags & 7) + 1) }
        offset += 1
        hasPicture = true
      default: return false
      }
      while offset < bytes.count, bytes[offset] != 0 { offset += 1 + Int(bytes[offset]) }
      offset += 1
    }
    return false
  }

  /// The size that the file begins with is the size that it has, and its chunks fill it.
  private static func isWholeWebP(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 20, bytes.starts(with: "RIFF".utf8),
      bytes[8..<12].elementsEqual("WEBP".utf8)
    else { return false }
    let size = littleEndian(bytes, 4) + 8
    guard size == bytes.count || size + 1 == bytes.count && size & 1 == 1 else { return false }
    var offset = 12
    var hasPicture = false
    while offset + 8 <= size {
      let name = bytes[offset..<(offset + 4)]
      let length = littleEndian(bytes, offset + 4)
      guard length <= size - offset - 8 else { return false }
      if ["VP8 ", "VP8L", "ANMF"].contains(where: { name.elementsEqual($0.utf8) }) {
        hasPicture = true
      }
      offset += 8 + length + length & 1
    }
    return hasPicture && offset >= size
  }

  private static func bigEndian(_ bytes: [UInt8], _ offset: Int) -> Int {
    bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
  }

  private static func littleEndian(_ bytes: [UInt8], _ offset: Int) -> Int {
    bytes[offset..<(offset + 4)].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in
      value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
    }
  }

  /// The checksum of PNG's chunks.
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { $0 >> 8 ^ table[Int(($0 ^ UInt32($1)) & 0xFF)] }
  }
}
