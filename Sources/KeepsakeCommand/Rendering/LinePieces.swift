/// The lines of a text in order, with very long lines in pieces.
///
/// A text may be so large that memory has no room for a copy.
struct LinePieces: Sequence, IteratorProtocol {
  /// A line, or a piece of a very long line.
  struct Piece {
    /// The text of the piece, without a line end.
    let text: Substring
    let beginsLine: Bool
    let endsLine: Bool
  }

  private let limit: Int
  private var rest: Substring
  private var beginsLine = true
  private var isOver = false

  /// Creates the sequence.
  ///
  /// - Parameters:
  ///   - text: The text; Windows line ends count as line ends.
  ///   - limit: The most characters of a piece.
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
