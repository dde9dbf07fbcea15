import Foundation
import KeepsakeArchive
import KeepsakeFiles
import KeepsakeTestSupport
import Testing

@Suite("Archives that are damaged")
struct DamagedArchiveTests {
  @Test func `a member that is damaged is left out, and those around it are not`() throws {
    let place = try Place()
    var bytes = Packed.zip([.init("a", "first"), .init("b", "second"), .init("c", "third")])
    let spot = try #require(bytes.firstRange(of: Array("second".utf8)))
    bytes[spot.lowerBound] ^= 1
    let unpacked = try place.unpack(bytes)
    #expect(try unpacked.contents == ["a": "first", "c": "third"])
    #expect(unpacked.refusals == ["b"])
    #expect(unpacked.refused.first?.reason.contains("CRC") == true, "\(unpacked.refused)")
  }

  @Test func `an archive that is cut off gives what came before`() throws {
    let place = try Place()
    let bytes = Packed.zip([.init("a", "first"), .init("b", String(repeating: "b", count: 500))])
    let unpacked = try place.unpack(Array(bytes.prefix(200)))
    #expect(try unpacked.contents == ["a": "first"])
    #expect(unpacked.refusals.first == "b")
    let error = try #require(throws: ArchiveError.self) {
      try place.unpack(Array(bytes.prefix(33)))
    }
    #expect(error.code == .damaged)
  }

  @Test func `a compressed file that is cut off or damaged is refused`() throws {
    let place = try Place()
    let text = Array(String(repeating: "a line of text\n", count: 100).utf8)
    let gzip = Packed.gzip(text)
    let zstd = Packed.zstd(text)
    var other = gzip
    other[500] ^= 1
    for bytes in [
      Array(gzip.dropLast(9)), Array(gzip.dropLast(3)), Array(gzip.prefix(12)),
      Array(zstd.dropLast(9)), Array(zstd.prefix(6)), other, gzip + gzip, zstd + [1, 2, 3, 4],
    ] {
      let error = try #require(throws: ArchiveError.self) { try place.unpack(bytes) }
      #expect(error.code == .damaged, "\(error)")
    }
    #expect(try place.left.isEmpty)
  }

  /// Damage at random: it is refused or unpacked, and never leaves anything elsewhere.
  @Test func `whatever is damaged leaves nothing behind`() throws {
    let place = try Place()
    let zip = Packed.zip([
      .init("a/b.json", "[1]"), .zeros("zeros"), .init("../c", "2"), .init("d", "3"),
    ])
    let text = Array(String(repeating: "text", count: 30).utf8)
    let seed = UInt64.random(in: 0 ... .max)
    var random = Seeded(state: seed)
    for round in 0..<300 {
      var bytes = [zip, zip, Packed.gzip(text), Packed.zstd(text)][round % 4]
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 4..<bytes.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      if round % 5 == 0 {
        bytes = Array(bytes.prefix(.random(in: 4..<bytes.count, using: &random)))
      }
      do {
        let unpacked = try place.unpack(bytes)
        let inside = try #require(try place.folder.names().first)
        for file in unpacked.files {
          let path = try #require(FileStatus.resolvedPath(file.path))
          #expect(path.contains("/\(inside)/"), "seed \(seed), round \(round)")
        }
      } catch let error as ArchiveError {
        #expect(error.code != .noSpace, "seed \(seed), round \(round): \(error)")
      }
      #expect(try place.left.isEmpty, "seed \(seed), round \(round)")
    }
  }

  /// Numbers that are the same again for the same seed.
  private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
      return value ^ (value >> 31)
    }
  }
}
