import KeepsakeFiles
import Testing

@Suite struct `Bytes that are to be a literal's` {
  /// Lengths below, at and above those that are compared at once.
  static let literals: [StaticString] = [
    "", "a", "1234567", "12345678", "123456789", "123456789abcdef", "123456789abcdefg",
    "123456789abcdefgh", #"{"v":1,"segments":[{"text":"#,
  ]

  @Test(arguments: literals.indices, [0, 3])
  func `are told from all that differ, in whatever byte`(literal: Int, start: Int) {
    let literal = Self.literals[literal]
    let units = literal.withUTF8Buffer { Array($0) }
    let bytes = [UInt8](repeating: 0x20, count: start) + units + [0x20]
    let end = start + units.count
    #expect(spell(literal, bytes, start, end))
    for index in start..<end {
      var changed = bytes
      changed[index] ^= 1
      #expect(!spell(literal, changed, start, end), "byte \(index)")
    }
  }

  @Test(arguments: literals.indices)
  func `are neither more nor fewer, and within what there is`(literal: Int) {
    let literal = Self.literals[literal]
    let bytes = literal.withUTF8Buffer { Array($0) }
    let count = bytes.count
    #expect(!spell(literal, bytes + [0x20], 0, count + 1))
    #expect(!spell(literal, bytes, 1, count))
    #expect(!spell(literal, bytes, -1, count - 1))
    #expect(!spell(literal, bytes, 1, count + 1))
  }

  private func spell(_ literal: StaticString, _ bytes: [UInt8], _ start: Int, _ end: Int) -> Bool {
    bytes.span.bytes.spells(literal, from: start, to: end)
  }
}
