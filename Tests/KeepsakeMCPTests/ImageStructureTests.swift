import Keepsake
import Testing

@testable import KeepsakeMCP

/// Which images are whole.
@Suite struct ImageStructureTests {
  /// A GIF of one pixel, a JPEG without its picture's quality, and a WebP: their structure is what counts.
  static let gif: [UInt8] =
    Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF]
    + [0x21, 0xF9, 4, 0, 0, 0, 0, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B]
  static let jpeg: [UInt8] =
    [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xC0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0]
    + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 0x12, 0xFF, 0, 0x34, 0xFF, 0xD0, 0x56, 0xFF, 0xD9]
  static let webp: [UInt8] =
    Array("RIFF".utf8) + [18, 0, 0, 0] + Array("WEBPVP8L".utf8) + [5, 0, 0, 0, 0x2F, 0, 0, 0, 0, 0]

  @Test func `whole images are whole`() {
    #expect(ImageStructure.isWhole(TestPNG.bytes(), as: .png))
    #expect(ImageStructure.isWhole(Self.gif, as: .gif))
    #expect(ImageStructure.isWhole(Self.jpeg, as: .jpeg))
    #expect(ImageStructure.isWhole(Self.webp, as: .webp))
    #expect(ImageStructure.isWhole(Self.jpeg + [1, 2, 3], as: .jpeg))
  }

  @Test func `no beginning of an image is whole, and nothing reads behind its end`() {
    for (bytes, type) in [
      (TestPNG.bytes(), .png), (Self.gif, .gif), (Self.jpeg, .jpeg), (Self.webp, .webp),
    ] as [([UInt8], MediaType)] {
      for count in 0..<bytes.count {
        #expect(!ImageStructure.isWhole(Array(bytes[..<count]), as: type), "\(type) \(count)")
      }
    }
  }

  @Test func `any change of a byte is answered, and one in a PNG is found`() {
    let png = TestPNG.bytes()
    for index in png.indices {
      var changed = png
      changed[index] ^= 0x55
      #expect(!ImageStructure.isWhole(changed, as: .png), "\(index)")
    }
    for (bytes, type) in [(Self.gif, .gif), (Self.jpeg, .jpeg), (Self.webp, .webp)]
      as [([UInt8], MediaType)]
    {
      for index in bytes.indices {
        for value: UInt8 in [0, 0x7F, 0xFF] {
          var changed = bytes
          changed[index] = value
          _ = ImageStructure.isWhole(changed, as: type)
        }
      }
    }
  }

  @Test func `a type that is not shown is never whole`() {
    #expect(!ImageStructure.isWhole(TestPNG.bytes(), as: .svg))
    #expect(!ImageStructure.isWhole(TestPNG.bytes(), as: .jpeg))
  }
}
