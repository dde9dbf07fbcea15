import Testing

@testable import KeepsakeFiles

@Suite("Bytes that zlib packs")
struct ZlibTests {
  private static let samples: [[UInt8]] = [
    [], [0], Array("a".utf8), Array(repeating: 7, count: 100_000),
    Array(String(repeating: "the same words, ", count: 1000).utf8),
    (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) },
    [UInt8](random: 5000),
  ]

  @Test(arguments: samples) func `come back as they were`(bytes: [UInt8]) throws {
    let packed = try #require(Zlib.packed(bytes, within: bytes.count + 100))
    #expect(Zlib.unpacked(packed, size: bytes.count) == bytes)
  }

  @Test func `are given only where they are no larger than asked for`() throws {
    let words = Self.samples[4]
    let packed = try #require(Zlib.packed(words, within: words.count))
    #expect(packed.count < words.count / 20)
    #expect(Zlib.packed(words, within: packed.count) == packed)
    #expect(Zlib.packed(words, within: packed.count - 1) == nil)
    #expect(Zlib.packed(words, within: 0) == nil)
    let random = Self.samples[6]
    #expect(Zlib.packed(random, within: random.count) == nil)
  }

  @Test func `are nothing else when they are damaged`() throws {
    let words = Self.samples[4]
    let packed = try #require(Zlib.packed(words, within: words.count))
    for index in packed.indices {
      var damaged = packed
      damaged[index] ^= 1 << (index % 8)
      #expect(Zlib.unpacked(damaged, size: words.count) ?? words == words)
      #expect(Zlib.unpacked(Array(packed[..<index]), size: words.count) == nil)
    }
    #expect(Zlib.unpacked(packed + [0], size: words.count) == nil)
    #expect(Zlib.unpacked([], size: 0) == nil)
  }

  @Test(arguments: [
    -1, 0, 1, 15_999, 16_001, 1 << 20, 1 << 40, .max, .min,
  ]) func `are not unpacked to another size, and take no memory for one that can't be`(size: Int)
    throws
  {
    let words = Self.samples[4]
    let packed = try #require(Zlib.packed(words, within: words.count))
    #expect(words.count == 16_000)
    #expect(Zlib.unpacked(packed, size: size) == nil)
  }
}
