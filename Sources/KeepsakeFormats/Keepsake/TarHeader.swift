import Keepsake

/// The header block of a regular file in a tar archive (POSIX ustar), in the one form that Keepsake writes.
///
/// Nothing in it depends on who wrote the archive, or when.
struct TarHeader: Equatable {
  static let blockSize = 512

  let name: String
  let size: Int64

  init(name: String, size: Int64) {
    self.name = name
    self.size = size
  }

  var bytes: [UInt8] {
    var block = [UInt8](repeating: 0, count: Self.blockSize)
    func put(_ text: String, at offset: Int) {
      for (index, byte) in text.utf8.enumerated() { block[offset + index] = byte }
    }
    put(name, at: 0)
    put("0000644", at: 100)
    put("0000000", at: 108)
    put("0000000", at: 116)
    if size < 1 << 33 {
      put(Self.octal(size, digits: 11), at: 124)
    } else {
      // A size that eleven octal digits can't hold is written in base 256.
      block[124] = 0x80
      for index in 0..<8 {
        block[128 + index] = UInt8(truncatingIfNeeded: size >> (56 - 8 * index))
      }
    }
    put("00000000000", at: 136)
    put("        ", at: 148)
    put("0", at: 156)
    put("ustar", at: 257)
    put("00", at: 263)
    let sum = block.reduce(0) { $0 + Int64($1) }
    put(Self.octal(sum, digits: 6) + "\0 ", at: 148)
    return block
  }

  /// The number of zero bytes after a member, up to the next block.
  static func padding(after size: Int64) -> Int { Int((512 - size % 512) % 512) }

  private static func octal(_ value: Int64, digits: Int) -> String {
    let text = String(value, radix: 8)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }

  /// Reads a block; nil where the block is one that Keepsake does not write.
  init?(_ block: [UInt8]) {
    guard block.count == Self.blockSize,
      let name = String(validating: block[..<100].prefix { $0 != 0 }, as: UTF8.self)
    else { return nil }
    var size: Int64 = 0
    if block[124] == 0x80 {
      guard block[128] < 0x80 else { return nil }
      for byte in block[128..<136] { size = size << 8 | Int64(byte) }
    } else {
      guard let digits = String(validating: block[124..<135], as: UTF8.self),
        let value = Int64(digits, radix: 8)
      else { return nil }
      size = value
    }
    self.init(name: name, size: size)
    // The comparison refuses links, folders, owners, times and wrong checksums.
    guard name.utf8.count < 100, CopyManifest.sizes.contains(size), bytes == block else {
      return nil
    }
  }
}
