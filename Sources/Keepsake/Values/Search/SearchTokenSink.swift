/// Receives the folded bytes of tokens, and the place of each token in the source.
protocol SearchTokenSink {
  /// Appends a byte to the open token.
  mutating func append(_ byte: UInt8)

  /// Ends the open token, which has at least one byte; `source` is its place in the source.
  mutating func endToken(source: Range<Int>)

  /// Appends a stretch of ASCII, which many texts consist of.
  mutating func append(
    ascii stretch: Range<Int>, of text: Span<UInt8>, folding letters: Span<UInt8>,
    token: inout OpenToken)
}

extension SearchTokenSink {
  /// Appends a stretch of ASCII, one character after the other.
  mutating func appendEach(
    ascii stretch: Range<Int>, of text: Span<UInt8>, folding letters: Span<UInt8>,
    token: inout OpenToken
  ) {
    for index in stretch {
      let letter = letters[Int(text[index])]
      if letter != 0 {
        if token.start == nil { token.start = index }
        append(letter)
        token.end = index + 1
      } else if let start = token.start {
        endToken(source: start..<token.end)
        token.start = nil
      }
    }
  }
}
