/// Receives the folded bytes of tokens, and where in the source each token stood.
protocol SearchTokenSink {
  mutating func append(_ byte: UInt8)

  /// The token is complete: it has at least one byte, and `source` is where it came from.
  mutating func endToken(source: Range<Int>)
}

/// Cuts text into the tokens that search knows, folded.
struct SearchTokenizer<Sink: SearchTokenSink> {
  private let alphabet = SearchAlphabet.current
  private var sink: Sink

  /// Where the token that is being read began, and where its last letter ended.
  private var start: Int?
  private var end = 0

  private init(_ sink: Sink) {
    self.sink = sink
  }

  static func tokens(of text: [UInt8], into sink: Sink) -> Sink {
    var tokenizer = SearchTokenizer(sink)
    tokenizer.read(text)
    return tokenizer.sink
  }

  private mutating func read(_ text: [UInt8]) {
    var index = 0
    while index < text.count {
      let byte = text[index]
      if byte >= 0x80 {
        index = readCharacter(in: text, at: index)
        continue
      }
      let letter = alphabet.ascii[Int(byte)]
      if letter == 0 {
        endToken()
      } else {
        if start == nil { start = index }
        sink.append(letter)
        end = index + 1
      }
      index += 1
    }
    endToken()
  }

  private mutating func endToken() {
    guard let first = start else { return }
    sink.endToken(source: first..<end)
    start = nil
  }

  /// Reads the character at `index`, and what composes with it; gives where the next one begins.
  private mutating func readCharacter(in text: [UInt8], at index: Int) -> Int {
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
    case .dropped: if start != nil { end = source.upperBound }
    case .word:
      if start == nil { start = source.lowerBound }
      encode(code)
      end = source.upperBound
    case .single:
      endToken()
      encode(code)
      sink.endToken(source: source)
    }
  }

  private func decode(_ text: [UInt8], at index: Int) -> (code: UInt32, next: Int) {
    let first = UInt32(text[index])
    let (length, bits): (Int, UInt32) =
      first >= 0xF0 ? (4, first & 7) : first >= 0xE0 ? (3, first & 15) : (2, first & 31)
    var code = bits
    for offset in 1..<length where index + offset < text.count {
      code = code << 6 | UInt32(text[index + offset] & 0x3F)
    }
    // A String's bytes are valid; this holds for others too.
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
