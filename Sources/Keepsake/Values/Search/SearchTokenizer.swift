/// Cuts text into folded tokens.
struct SearchTokenizer<Sink: SearchTokenSink> {
  private let alphabet = SearchAlphabet.current
  private var sink: Sink

  private var token = OpenToken()

  private init(_ sink: Sink) {
    self.sink = sink
  }

  static func tokens(of text: [UInt8], into sink: Sink) -> Sink {
    var tokenizer = SearchTokenizer(sink)
    tokenizer.read(text.span)
    return tokenizer.sink
  }

  private mutating func read(_ text: Span<UInt8>) {
    let letters = alphabet.ascii
    var index = 0
    while index < text.count {
      if text[index] >= 0x80 {
        index = readCharacter(in: text, at: index)
        continue
      }
      let end = Self.endOfASCII(in: text, from: index + 1)
      sink.append(ascii: index..<end, of: text, folding: letters.span, token: &token)
      index = end
    }
    endToken()
  }

  private static func endOfASCII(in text: Span<UInt8>, from start: Int) -> Int {
    var end = start
    let bytes = text.bytes
    while end + 8 <= bytes.byteCount {
      let others = JSONWord.load(bytes, at: end) & JSONWord.highBits
      if others != 0 { return end + others.trailingZeroBitCount >> 3 }
      end += 8
    }
    while end < text.count, text[end] < 0x80 { end += 1 }
    return end
  }

  private mutating func endToken() {
    guard let start = token.start else { return }
    sink.endToken(source: start..<token.end)
    token.start = nil
  }

  /// Reads the character at `index` with the marks that compose with it, and returns the index of the next character.
  private mutating func readCharacter(in text: Span<UInt8>, at index: Int) -> Int {
    let code: UInt32
    var next: Int
    (code, next) = decode(text, at: index)
    guard var letter = alphabet.folded(code) else {
      for target in alphabet.foldedToSeveral(code) { emit(target, source: index..<next) }
      return next
    }
    while next < text.count, text[next] >= 0x80 {
      let following: UInt32
      let after: Int
      (following, after) = decode(text, at: next)
      guard let mark = alphabet.folded(following), let composed = alphabet.composed(letter, mark)
      else { break }
      (letter, next) = (composed, after)
    }
    emit(letter, source: index..<next)
    return next
  }

  private mutating func emit(_ code: UInt32, source: Range<Int>) {
    switch alphabet.kind(of: code) {
    case .separator: endToken()
    case .dropped: if token.start != nil { token.end = source.upperBound }
    case .word:
      if token.start == nil { token.start = source.lowerBound }
      encode(code)
      token.end = source.upperBound
    case .single:
      endToken()
      encode(code)
      sink.endToken(source: source)
    }
  }

  private func decode(_ text: Span<UInt8>, at index: Int) -> (code: UInt32, next: Int) {
    let first = UInt32(text[index])
    let (length, bits): (Int, UInt32) =
      first >= 0xF0 ? (4, first & 7) : first >= 0xE0 ? (3, first & 15) : (2, first & 31)
    var code = bits
    for offset in 1..<length where index + offset < text.count {
      code = code << 6 | UInt32(text[index + offset] & 0x3F)
    }
    // A String has valid UTF-8; the limits are for other bytes.
    return (min(code, 0x10FFFF), index + length)
  }

  private mutating func encode(_ code: UInt32) {
    switch code {
    case ..<0x80: sink.append(UInt8(code))
    case ..<0x800:
      sink.append(UInt8(0xC0 | code >> 6))
      sink.append(UInt8(0x80 | code & 0x3F))
    case ..<0x10000:
      sink.append(UInt8(0xE0 | code >> 12))
      sink.append(UInt8(0x80 | code >> 6 & 0x3F))
      sink.append(UInt8(0x80 | code & 0x3F))
    default:
      sink.append(UInt8(0xF0 | code >> 18))
      sink.append(UInt8(0x80 | code >> 12 & 0x3F))
      sink.append(UInt8(0x80 | code >> 6 & 0x3F))
      sink.append(UInt8(0x80 | code & 0x3F))
    }
  }
}
