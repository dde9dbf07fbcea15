/// The lines of a text, one after the other, and those that are very long in pieces: a text may be larger than memory
/// has room for twice.
struct LinePieces: Sequence, IteratorProtocol {
  struct Piece {
    /// Without what ends the line.
    let text: Substring
    let beginsLine: Bool
    let endsLine: Bool
  }

  private let limit: Int
  private var rest: Substring
  private var beginsLine = true
  private var isOver = false

  /// - Parameters:
  ///   - text: The text; Windows' line ends are line ends.
  ///   - limit: How many characters a piece has at most.
  init(_ text: String, limit: Int = 1 << 16) {
    rest = text[...]
    self.limit = limit
  }

  mutating func next() -> Piece? {
    if isOver { return nil }
    var end = rest.startIndex
    var count = 0
    while end < rest.endIndex, count < limit, !rest[end].isNewline {
      rest.formIndex(after: &end)
      count += 1
    }
    let isAtEnd = end == rest.endIndex
    let endsLine = isAtEnd || rest[end].isNewline
    let piece = Piece(text: rest[..<end], beginsLine: beginsLine, endsLine: endsLine)
    isOver = isAtEnd
    if !isAtEnd { rest = rest[(endsLine ? rest.index(after: end) : end)...] }
    beginsLine = endsLine
    return piece
  }
}
