extension Base64Spelling {
  /// Writes bytes, which may come in pieces, as text of this spelling.
  package struct Encoder {
    private let spelling: Base64Spelling
    private let alphabet: [UInt8]
    private let lineBreak: [UInt8]
    private var rest: [UInt8] = []
    private var column = 0

    package init(_ spelling: Base64Spelling) {
      self.spelling = spelling
      alphabet = spelling.isURLSafe ? Base64Spelling.urlSafe : Base64Spelling.standard
      lineBreak = spelling.lineBreak.bytes
    }

    package mutating func add(_ bytes: [UInt8], to text: inout [UInt8]) {
      var index = 0
      if !rest.isEmpty {
        while rest.count < 3, index < bytes.count {
          rest.append(bytes[index])
          index += 1
        }
        guard rest.count == 3 else { return }
        write(rest[0], rest[1], rest[2], to: &text)
        rest = []
      }
      while index + 3 <= bytes.count {
        write(bytes[index], bytes[index + 1], bytes[index + 2], to: &text)
        index += 3
      }
      rest += bytes[index...]
    }

    package mutating func finish(to text: inout [UInt8]) {
      if !rest.isEmpty {
        let second = rest.count == 2 ? rest[1] : 0
        put(alphabet[Int(rest[0] >> 2)], to: &text)
        put(alphabet[Int(rest[0] << 4 & 0x30 | second >> 4)], to: &text)
        if rest.count == 2 { put(alphabet[Int(second << 2 & 0x3C)], to: &text) }
        if spelling.isPadded { for _ in rest.count..<3 { put(UInt8(ascii: "="), to: &text) } }
        rest = []
      }
      if spelling.endsWithLineBreak { text += lineBreak }
    }

    private mutating func write(_ a: UInt8, _ b: UInt8, _ c: UInt8, to text: inout [UInt8]) {
      put(alphabet[Int(a >> 2)], to: &text)
      put(alphabet[Int(a << 4 & 0x30 | b >> 4)], to: &text)
      put(alphabet[Int(b << 2 & 0x3C | c >> 6)], to: &text)
      put(alphabet[Int(c & 0x3F)], to: &text)
    }

    @inline(__always)
    private mutating func put(_ character: UInt8, to text: inout [UInt8]) {
      if spelling.lineLength > 0, column == spelling.lineLength {
        text += lineBreak
        column = 0
      }
      if character == UInt8(ascii: "/"), spelling.escapesSlashes { text.append(UInt8(ascii: "\\")) }
      text.append(character)
      column += 1
    }
  }
}
