import KeepsakeFiles
import Testing

@Suite struct `SHA-256` {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
        + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
  ])
  func `the vectors of FIPS 180-2 come out`(message: String, expected: String) {
    #expect(SHA256.digest(of: Array(message.utf8)).hex == expected)
    var hash = SHA256()
    hash.update(message)
    #expect(hash.finalize().hex == expected)
  }

  @Test func `a million times the letter a comes out, in pieces of any size`() {
    let expected = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    for size in [1_000_000, 65_536, 997, 64, 63] {
      var hash = SHA256()
      var left = 1_000_000
      while left > 0 {
        let piece = [UInt8](repeating: UInt8(ascii: "a"), count: min(size, left))
        hash.update(piece)
        left -= piece.count
      }
      #expect(hash.finalize().hex == expected)
    }
  }

  @Test func `a computation that was given up leaves nothing to the next one of its thread`() {
    let expected = SHA256.digest(of: Array("abc".utf8))
    for _ in 0..<3 {
      do {
        var hash = SHA256()
        hash.update("left over")
      }
      var hash = SHA256()
      hash.update("a")
      // Two at a time don't share what rests on the thread.
      #expect(SHA256.digest(of: Array("abc".utf8)) == expected)
      hash.update("bc")
      #expect(hash.finalize() == expected)
    }
  }

  @Test func `after finalize a new message begins`() {
    var hash = SHA256()
    hash.update("left over")
    _ = hash.finalize()
    hash.update("abc")
    #expect(hash.finalize() == SHA256.digest(of: Array("abc".utf8)))
    #expect(hash.finalize() == SHA256.digest(of: []))
  }
}

@Suite struct `A SHA-256 digest` {
  static let hex = "00017f80ff0acfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

  @Test func `goes to hexadecimal digits and bytes and back`() throws {
    let digest = try #require(SHA256Digest(hex: Self.hex))
    #expect(digest.hex == Self.hex)
    #expect("\(digest)" == Self.hex)
    #expect(digest.bytes.count == 32)
    #expect(digest.bytes.prefix(6) == [0x00, 0x01, 0x7f, 0x80, 0xff, 0x0a])
    #expect(SHA256Digest(bytes: digest.bytes) == digest)
    #expect(digest.withBytes { SHA256Digest(span: $0) } == digest)
    #expect(SHA256Digest(hex: Self.hex.uppercased()) == digest)
  }

  @Test(arguments: [
    "", "00", String(hex.dropLast()), hex + "0", "g" + hex.dropFirst(), " " + hex.dropFirst(),
    "é" + hex.dropFirst(2), "+" + hex.dropFirst(),
  ])
  func `refuses what is not 64 hexadecimal digits`(text: String) {
    #expect(SHA256Digest(hex: text) == nil)
  }

  @Test(arguments: [0, 31, 33])
  func `refuses what is not 32 bytes`(count: Int) {
    #expect(SHA256Digest(bytes: [UInt8](repeating: 1, count: count)) == nil)
  }

  @Test func `sorts as its bytes do`() {
    var random = SystemRandomNumberGenerator()
    let digests = (0..<200).map { _ in
      SHA256.digest(of: withUnsafeBytes(of: random.next()) { Array($0) })
    }
    let byBytes = digests.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    #expect(digests.sorted() == byBytes)
  }
}
