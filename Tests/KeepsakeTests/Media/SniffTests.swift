import Keepsake
import KeepsakeTestSupport
import Testing

@Suite struct `Sniffing` {
  static let files: [(name: String, bytes: [UInt8], essence: String)] =
    SniffSamples.images + SniffSamples.media + SniffSamples.documents + SniffSamples.programs
    + SniffSamples.texts

  private func sniff(_ bytes: [UInt8], size: Int? = nil) -> MediaType {
    .sniff(head: bytes, size: Int64(size ?? bytes.count))
  }

  @Test(arguments: files.indices)
  func `a file is what it is`(index: Int) {
    let file = Self.files[index]
    #expect(sniff(file.bytes).description == file.essence, "\(file.name)")
  }

  @Test func `nothing is octets`() {
    #expect(sniff([]) == .octetStream)
    #expect(sniff([0]) == .octetStream)
    #expect(sniff([0xFF, 0x00, 0x12]) == .octetStream)
  }

  @Test(arguments: files.indices)
  func `every beginning of a file has some type`(index: Int) {
    let file = Self.files[index]
    for length in 0...file.bytes.count {
      let head = Array(file.bytes.prefix(length))
      let whole = sniff(head)
      let cutOff = sniff(head, size: file.bytes.count)
      #expect(!whole.essence.isEmpty && !cutOff.essence.isEmpty)
    }
  }

  @Test func `A16: bytes changed at random never stop it, and are read within bounds`() {
    let seed = UInt64.random(in: .min ... .max)
    print("Sniffing seed: \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<10_000 {
      var bytes = Self.files[Int.random(in: Self.files.indices, using: &random)].bytes
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let index = Int.random(in: bytes.indices, using: &random)
        bytes[index] =
          [0, 0xFF, 0x7F, 0x80, .random(in: 0...255, using: &random)]
          .randomElement(using: &random) ?? 0
      }
      bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
      let size = [Int64(bytes.count), .max, 0, -1].randomElement(using: &random) ?? 0
      #expect(!MediaType.sniff(head: bytes, size: size).essence.isEmpty, "seed \(seed)")
      _ = PixelSize(head: bytes)
      var reads = 0
      var bytesRead = 0
      _ = PixelSize { (offset: Int64, count: Int) -> [UInt8] in
        reads += 1
        bytesRead += count
        guard offset >= 0, offset < Int64(bytes.count) else { return [] }
        return Array(bytes[Int(offset)...].prefix(count))
      }
      #expect(reads <= 64 && bytesRead <= 2 << 20, "seed \(seed)")
    }
  }

  @Test func `no more than the first 4,096 bytes are looked at`() {
    let text = Array(repeating: UInt8(ascii: "a"), count: 4096)
    #expect(sniff(text + [0, 1, 2]) == .plainText)
    #expect(sniff(text.dropLast() + [0]) == .octetStream)
  }

  @Test func `a character that is cut off by the head's end does no harm`() {
    let text = Array(String(repeating: "藍", count: 1366).utf8)
    #expect(sniff(Array(text.prefix(4096)), size: text.count) == .plainText)
    #expect(sniff(Array(text.prefix(4096))) == .octetStream)
  }

  @Test(arguments: [
    "ID3 is a tag format.", "BM is a company.", "MZ", "RIFF raff", "PK, he said.", "ftyp",
    "{ not json }", "[link](https://a.example)", "[1] Knuth", "{\"a\": 1} trailing", "[1,]",
    "true", "42", "<3 this", "<svgood>", "<b>bold</b>", "true story, true font", "OTTO e mezzo",
    "Dear Ann,\nhello,\nbye,\n", "one, two\nthree, four\nfive, six\nseven, eight\nnine, ten\n",
    "a,b\n1,2\n", "x = f(a,b)\ny = g(c,d)\nreturn h(x,y)\n", "#!/opt/unknown/thing\n",
    "# Title\n\n- a\n",
    "\u{1B}[31mred\u{1B}[0m", "naïve\u{FEFF}", " \n\t ",
  ])
  func `what only looks like a format is plain text`(text: String) {
    #expect(sniff(Array(text.utf8)) == .plainText)
  }

  @Test(
    arguments: [
      [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE0, 0x80, 0x80], [0x61, 0x80],
      [0x61, 0x00, 0x62], [0x07, 0x61], [0xFF, 0xFE, 0x00, 0xD8], [0xFE, 0xFF, 0x00, 0x01],
      [0xFF, 0xFB, 0x90, 0x00], [0x42, 0x4D, 0x00], [0x00, 0x00, 0x01, 0x00, 0x01, 0x00],
    ] as [[UInt8]])
  func `what is neither a format nor text is octets`(bytes: [UInt8]) {
    #expect(sniff(bytes) == .octetStream)
  }

  @Test func `JSON that is cut off is JSON, and broken JSON is not`() {
    let json = Array(#"{"a": [1, -2.5e3, true, null, "x\"y"], "b": {}}"#.utf8)
    for length in 1..<json.count {
      let head = Array(json.prefix(length))
      #expect(sniff(head, size: 5000) == .json, "\(length)")
      #expect(sniff(head) == .plainText, "\(length)")
    }
    #expect(sniff(Array(repeating: UInt8(ascii: "["), count: 4096), size: 9000) == .json)
  }
}
