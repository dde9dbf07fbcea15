import Foundation
import Keepsake
import Testing

@Suite struct `Pixel sizes` {
  static let images: [(name: String, bytes: [UInt8])] = [
    ("png", MediaFixtures.png), ("apng", MediaFixtures.apng), ("gif", MediaFixtures.gif),
    ("jpeg", MediaFixtures.jpeg), ("progressive jpeg", MediaFixtures.progressiveJPEG),
    ("webp, lossy", MediaFixtures.lossyWebP), ("webp, lossless", MediaFixtures.losslessWebP),
    ("webp, extended", MediaFixtures.alphaWebP), ("heic", MediaFixtures.heic),
    ("avif", MediaFixtures.avif),
  ]

  /// Reads from bytes, and counts.
  private final class Reader {
    var reads = 0
    var bytesRead = 0
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
    }

    func read(offset: Int64, count: Int) -> [UInt8] {
      reads += 1
      let piece = Array(bytes.dropFirst(Int(clamping: offset)).prefix(count))
      bytesRead += piece.count
      return piece
    }
  }

  @Test(arguments: images.indices)
  func `an image is measured from its head and by reading`(index: Int) {
    let (name, bytes) = Self.images[index]
    let expected = PixelSize(width: 37, height: 21)
    #expect(PixelSize(head: bytes) == expected, "\(name)")
    #expect(PixelSize(reading: Reader(bytes).read) == expected, "\(name)")
  }

  @Test func `bitmaps are measured in both directions of their rows`() {
    var bytes = MediaFixtures.bmp
    #expect(PixelSize(head: bytes) == PixelSize(width: 7, height: 5))
    bytes.replaceSubrange(22..<26, with: [0xFB, 0xFF, 0xFF, 0xFF])
    #expect(PixelSize(head: bytes) == PixelSize(width: 7, height: 5))
    bytes.replaceSubrange(22..<26, with: [0x00, 0x00, 0x00, 0x80])
    #expect(PixelSize(head: bytes) == nil)
  }

  @Test func `bytes that are at hand are not read again`() throws {
    let measured = PixelSize(head: MediaFixtures.bmp) { offset, count in
      Issue.record("read \(count) bytes at \(offset)")
      return []
    }
    #expect(measured == PixelSize(width: 7, height: 5))
    let text = PixelSize(head: Array("no image at all".utf8)) { offset, count in
      Issue.record("read \(count) bytes at \(offset)")
      return []
    }
    #expect(text == nil)
  }

  @Test(arguments: images.indices)
  func `an image that is cut short has its size or none, never another`(index: Int) {
    let (name, bytes) = Self.images[index]
    let expected = PixelSize(width: 37, height: 21)
    var wasMeasured = false
    for length in 0...bytes.count {
      let head = Array(bytes.prefix(length))
      let size = PixelSize(head: head)
      #expect(size == nil || size == expected, "\(name), \(length) bytes")
      #expect(PixelSize(reading: Reader(head).read) == size, "\(name), \(length) bytes")
      #expect(!wasMeasured || size != nil, "\(name), \(length) bytes")
      wasMeasured = size != nil
    }
    #expect(wasMeasured)
  }

  /// The fixture with metadata segments of 64 KB behind its first two bytes.
  private func jpeg(segments: Int) -> [UInt8] {
    let segment = [0xFF, 0xE2, 0xFF, 0xFF] + Array(repeating: UInt8(0xFF), count: 0xFFFD)
    var bytes = Array(MediaFixtures.jpeg.prefix(2))
    for _ in 0..<segments { bytes += segment }
    return bytes + MediaFixtures.jpeg.dropFirst(2)
  }

  @Test func `a photo's size is found behind a megabyte of metadata`() {
    let reader = Reader(jpeg(segments: 40))
    #expect(PixelSize(reading: reader.read) == PixelSize(width: 37, height: 21))
    #expect(reader.reads <= 64)
    #expect(reader.bytesRead <= 1 << 20)
    #expect(PixelSize(head: Array(jpeg(segments: 1).prefix(4096))) == nil)
  }

  @Test func `A16: reading has an end`() {
    let reader = Reader(jpeg(segments: 100))
    #expect(PixelSize(reading: reader.read) == nil)
    #expect(reader.reads == 64)
    let fill = Reader([0xFF, 0xD8] + Array(repeating: 0xFF, count: 1 << 21))
    #expect(PixelSize(reading: fill.read) == nil)
    #expect(fill.reads <= 2)
  }

  @Test(arguments: [[0xFF, 0xE2, 0x00, 0x02], [0x00, 0x00, 0x00, 0x08, 0x66, 0x72, 0x65, 0x65]])
  func `a megabyte of nothing is given up at once`(piece: [UInt8]) {
    let start = piece[0] == 0xFF ? [0xFF, 0xD8] : [0, 0, 0, 8] + Array("ftyp".utf8)
    let reader = Reader(start + Array(repeatElement(piece, count: 1 << 18).joined()))
    #expect(PixelSize(reading: reader.read) == nil)
    #expect(reader.reads <= 4)
  }

  @Test func `what the reader throws comes through`() {
    struct Broken: Error {}
    #expect(throws: Broken.self) {
      try PixelSize { (_: Int64, _: Int) throws(Broken) -> [UInt8] in throw Broken() }
    }
  }

  @Test func `of several sizes the primary item's counts`() {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }
    func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
      number(content.count + 8, 4) + Array(type.utf8) + content
    }
    func extent(_ width: Int, _ height: Int) -> [UInt8] {
      box("ispe", number(0, 4) + number(width, 4) + number(height, 4))
    }
    func file(primary: [UInt8], associations: [UInt8]) -> [UInt8] {
      let sizes = box("ipco", box("hvcC", [1, 2, 3]) + extent(512, 512) + extent(300, 200))
      let meta = box("meta", number(0, 4) + primary + box("iprp", sizes + associations))
      return box("ftyp", Array("heic".utf8) + number(0, 4)) + meta
    }
    let primary = box("pitm", number(0, 4) + number(7, 2))
    // Item 3 has properties 1 and 2; item 7 has 1 and, as an essential one, 3.
    let associations = box(
      "ipma",
      number(0, 4) + number(2, 4) + number(3, 2) + [2, 1, 2] + number(7, 2) + [2, 1, 0x83])
    #expect(
      PixelSize(head: file(primary: primary, associations: associations))
        == PixelSize(width: 300, height: 200))
    #expect(
      PixelSize(head: file(primary: [], associations: [])) == PixelSize(width: 512, height: 512))
  }

  @Test(arguments: [(0, 1), (1, 0), (-1, 1), (1 << 31, 1), (1, .max)])
  func `absurd sizes are refused`(width: Int, height: Int) throws {
    #expect(PixelSize(width: width, height: height) == nil)
    let json = Data(#"{"width":\#(width),"height":\#(height)}"#.utf8)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(PixelSize.self, from: json) }
  }

  @Test func `a PNG that claims no height has no size`() {
    var bytes = MediaFixtures.png
    bytes.replaceSubrange(20..<24, with: [0, 0, 0, 0])
    #expect(PixelSize(head: bytes) == nil)
    bytes.replaceSubrange(20..<24, with: [0x80, 0, 0, 0])
    #expect(PixelSize(head: bytes) == nil)
  }
}
