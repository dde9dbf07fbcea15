import KeepsakeFiles
import Testing

@Suite struct `Eight hexadecimal digits` {
  @Test func `spell the number that the standard library reads`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let number = UInt32.random(in: .min ... .max, using: &random)
      let small = String(repeating: "0", count: 8) + String(number, radix: 16)
      let digits = String(small.suffix(8))
      #expect(read(digits) == number)
      #expect(read(digits, takesCapitals: false) == number)
      #expect(read(digits.uppercased()) == number)
      let hasLetters = digits.contains { $0.isLetter }
      #expect(read(digits.uppercased(), takesCapitals: false) == (hasLetters ? nil : number))
    }
  }

  @Test(arguments: 0..<8)
  func `are digits at each place, and no other byte is one`(place: Int) {
    for byte in UInt8.min...UInt8.max {
      var bytes = [UInt8]("1a2b3c4d".utf8)
      bytes[place] = byte
      let character = Character(UnicodeScalar(byte))
      let isDigit = byte < 0x80 && character.isHexDigit
      let span = bytes.span.bytes
      #expect((HexDigits.number(in: span, at: 0) != nil) == isDigit)
      let isSmall = isDigit && !character.isUppercase
      #expect((HexDigits.number(in: span, at: 0, takesCapitals: false) != nil) == isSmall)
    }
  }

  @Test func `are read from two places, and from nowhere beyond the end`() {
    "xx1234-abcdyy".withUTF8Bytes { text in
      #expect(HexDigits.number(in: text, at: 2, and: 7) == 0x1234_ABCD)
      #expect(HexDigits.number(in: text, at: 7, and: 2) == 0xABCD_1234)
      #expect(HexDigits.number(in: text, at: 2, and: 10) == nil)
      #expect(HexDigits.number(in: text, at: 10, and: 2) == nil)
      #expect(HexDigits.number(in: text, at: -1, and: 2) == nil)
    }
    #expect(read("1234567") == nil)
    #expect(read("") == nil)
  }

  private func read(_ text: String, takesCapitals: Bool = true) -> UInt32? {
    text.withUTF8Bytes { HexDigits.number(in: $0, at: 0, takesCapitals: takesCapitals) }
  }
}
