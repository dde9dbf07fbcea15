import KeepsakeFiles
import Keepsake

/// Checks whether an image has its end, because services refuse an image that was cut off.
enum ImageEnd {
  static func isReached(in bytes: [UInt8], _ type: MediaType) -> Bool {
    switch type {
    case .png: hasPNGEnd(bytes)
    case .jpeg: hasJPEGEnd(bytes)
    case .gif: hasGIFEnd(bytes)
    case .webp: hasWebPEnd(bytes)
    default: true
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) }
  }

  /// Returns whether a PNG's chunks reach the chunk `IEND`. Each chunk states its length.
  private static func hasPNGEnd(_ bytes: [UInt8]) -> Bool {
    var offset = 8
    while offset + 12 <= bytes.count {
      let length = number(bytes[offset..<(offset + 4)])
      let isEnd = bytes[(offset + 4)..<(offset + 8)].elementsEqual("IEND".utf8)
      offset += 12 + length
      if isEnd { return offset <= bytes.count }
    }
    return false
  }

  /// Returns whether a JPEG reaches its end marker, past its segments and its compressed data, in which 0xFF begins a marker.
  private static func hasJPEGEnd(_ bytes: [UInt8]) -> Bool {
    var offset = 2
    while offset + 1 < bytes.count {
      guard bytes[offset] == 0xFF else {
        offset += 1
        continue
      }
      switch bytes[offset + 1] {
      case 0xD9: return true
      // These are a fill byte, then the markers without a length: an escaped 0xFF, restarts, and the beginning.
      case 0xFF: offset += 1
      case 0x00, 0x01, 0xD0...0xD8: offset += 2
      default:
        guard offset + 4 <= bytes.count else { return false }
        offset += 2 + max(2, number(bytes[(offset + 2)..<(offset + 4)]))
      }
    }
    return false
  }

  /// Returns whether a GIF's blocks reach its end. A file that ends between two blocks lacks only the last byte, and is
  /// accepted.
  private static func hasGIFEnd(_ bytes: [UInt8]) -> Bool {
    func colors(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }
    guard bytes.count >= 13 else { return false }
    var offset = 13 + colors(bytes[10])
    func passBlocks() -> Bool {
      while offset < bytes.count {
        let length = Int(bytes[offset])
        offset += 1 + length
        if length == 0 { return true }
      }
      return false
    }
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x3B: return true
      case 0x21:
        offset += 2
        guard passBlocks() else { return false }
      case 0x2C:
        guard offset + 10 < bytes.count else { return false }
        offset += 11 + colors(bytes[offset + 9])
        guard passBlocks() else { return false }
      default: return true
      }
    }
    return offset == bytes.count
  }

  private static func hasWebPEnd(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 12 else { return false }
    return 8 + bytes[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) } <= bytes.count
  }
}
