/// Takes HTML and XML apart: comments, the names of elements, attributes, and their values.
struct MarkupScanner {
  private let bytes: [UInt8]
  private var index = 0
  /// Whether a tag is open.
  private var isInTag = false

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  static func forEach(in bytes: [UInt8], _ body: (ArraySlice<UInt8>, CodeToken?) -> Void) {
    var scanner = MarkupScanner(bytes)
    var plain = 0
    var count = 0
    while scanner.index < bytes.count, count < CodeScanner.tokenLimit {
      let start = scanner.index
      guard let token = scanner.next() else { continue }
      if plain < start { body(bytes[plain..<start], nil) }
      body(bytes[start..<scanner.index], token)
      plain = scanner.index
      count += 1
    }
    if plain < bytes.count { body(bytes[plain...], nil) }
  }

  private mutating func next() -> CodeToken? {
    let byte = bytes[index]
    if !isInTag {
      if bytes[index...].starts(with: Self.comment) {
        index = CodeScanner.end(of: Self.commentEnd, in: bytes, from: index + 4)
        return .comment
      }
      if byte == UInt8(ascii: "<"), let name = nameBehindBracket() {
        isInTag = true
        index = name
        return .name
      }
      index += 1
      return nil
    }
    switch byte {
    case UInt8(ascii: ">"):
      isInTag = false
      index += 1
      return nil
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      index = CodeScanner.end(of: [byte], in: bytes, from: index + 1)
      return .string
    default:
      guard Self.isName(byte) else {
        index += 1
        return nil
      }
      while index < bytes.count, Self.isName(bytes[index]) { index += 1 }
      return .key
    }
  }

  /// The index behind `<name`, `</name`, `<!name` or `<?name`; nil where a bracket is only a bracket.
  private func nameBehindBracket() -> Int? {
    var end = index + 1
    if end < bytes.count, "/!?".utf8.contains(bytes[end]) { end += 1 }
    let start = end
    while end < bytes.count, Self.isName(bytes[end]) { end += 1 }
    return end > start ? end : nil
  }

  private static let comment = Array("<!--".utf8)
  private static let commentEnd = Array("-->".utf8)

  private static func isName(_ byte: UInt8) -> Bool {
    CodeScanner.isWord(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ":")
      || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "@")
  }
}
