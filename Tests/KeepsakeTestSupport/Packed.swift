import Foundation

/// Archives and compressed files, made byte by byte, so that they can also say what no program would.
package enum Packed {
  /// What an archive is told of one of its files.
  package struct Member: Sendable {
    package var name: [UInt8]
    package var bytes: [UInt8]
    /// The flags of a member: bit 11 says that its name is UTF-8, bit 0 that it is encrypted.
    package var flags: UInt16 = 0x800
    /// Stored as it is; 8 is deflated, and 12 is bzip2.
    package var method: UInt16 = 0
    /// What stands in the archive instead of the bytes.
    package var packed: [UInt8]?
    /// The mode of Unix, with the kind of file.
    package var mode: UInt32 = 0o100644
    /// What is said of the size instead of the truth, where it stands before the bytes.
    package var claimedSize: Int?
    /// Whether the same is said at the archive's end.
    package var claimsEverywhere = false

    package init(_ name: String, _ text: String = "") {
      self.init(Array(name.utf8), Array(text.utf8))
    }

    package init(_ name: [UInt8], _ bytes: [UInt8]) {
      self.name = name
      self.bytes = bytes
    }

    /// A file of zeros, of which a thousandth stands in the archive.
    package static func zeros(_ name: String) -> Member {
      var member = Member(Array(name.utf8), [UInt8](repeating: 0, count: zeroCount))
      member.method = 8
      member.packed = deflatedZeros
      return member
    }
  }

  package static let zeroCount = 200_000

  /// Zeros, deflated.
  private static let deflatedZeros: [UInt8] =
    [0xED, 0xC1, 0x31, 0x01, 0, 0, 0, 0xC2, 0xA0, 0xF5, 0x4F, 0x6D, 0x06, 0x7F, 0xA0]
    + [UInt8](repeating: 0, count: 193) + [0x80, 0xD7, 0]

  /// A zip archive.
  package static func zip(_ members: [Member]) -> [UInt8] {
    var archive: [UInt8] = []
    var directory: [UInt8] = []
    for member in members {
      let packed = member.packed ?? member.bytes
      func facts(_ size: Int) -> [UInt8] {
        little(20, 2) + little(Int(member.flags), 2) + little(Int(member.method), 2)
          + little(0, 2) + little(0x5821, 2) + little(Int(checksum(member.bytes)), 4)
          + little(packed.count, 4) + little(size, 4) + little(member.name.count, 2) + little(0, 2)
      }
      let offset = archive.count
      archive += Array("PK\u{3}\u{4}".utf8) + facts(member.claimedSize ?? member.bytes.count)
      archive += member.name + packed
      directory +=
        Array("PK\u{1}\u{2}".utf8) + little(0x0314, 2)
        + facts(
          (member.claimsEverywhere ? member.claimedSize : nil) ?? member.bytes.count)
      directory += little(0, 2) + little(0, 2) + little(0, 2) + little(Int(member.mode) << 16, 4)
      directory += little(offset, 4) + member.name
    }
    let end =
      Array("PK\u{5}\u{6}".utf8) + little(0, 2) + little(0, 2) + little(members.count, 2)
      + little(members.count, 2) + little(directory.count, 4) + little(archive.count, 4)
      + little(0, 2)
    return archive + directory + end
  }

  /// A file as gzip makes it of what it can't make smaller.
  package static func gzip(_ bytes: [UInt8]) -> [UInt8] {
    var blocks: [UInt8] = []
    var start = 0
    repeat {
      let end = min(start + 0xFFFF, bytes.count)
      blocks += [end == bytes.count ? 1 : 0] + little(end - start, 2) + little(~(end - start), 2)
      blocks += bytes[start..<end]
      start = end
    } while start < bytes.count
    return gzip(blocks, of: bytes)
  }

  /// Zeros, as gzip compresses them.
  package static var gzippedZeros: [UInt8] {
    gzip(deflatedZeros, of: [UInt8](repeating: 0, count: zeroCount))
  }

  private static func gzip(_ deflated: [UInt8], of bytes: [UInt8]) -> [UInt8] {
    [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + deflated + little(Int(checksum(bytes)), 4)
      + little(bytes.count, 4)
  }

  /// A file as zstd makes it of what it can't make smaller.
  package static func zstd(_ bytes: [UInt8]) -> [UInt8] {
    // A frame of one segment, whose size stands in four bytes.
    var frame = [0x28, 0xB5, 0x2F, 0xFD, 0xA0] + little(bytes.count, 4)
    var start = 0
    repeat {
      let end = min(start + 100_000, bytes.count)
      frame += little((end - start) << 3 | (end == bytes.count ? 1 : 0), 3) + bytes[start..<end]
      start = end
    } while start < bytes.count
    return frame
  }

  private static func little(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  /// The checksum that zip and gzip have.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var value: UInt32 = ~0
    for byte in bytes {
      value ^= UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }
    return ~value
  }
}
