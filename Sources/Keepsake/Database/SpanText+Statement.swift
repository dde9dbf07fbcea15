import KeepsakeSQLite

extension SpanText {
  /// Reads the spans of a piece from the next column of a row; none for NULL.
  static func spans(of piece: Int64, in row: borrowing Statement)
    throws(KeepsakeError) -> [SourcePiece.Span]
  {
    guard let text = row.optionalBytes() else { return [] }
    guard let spans = spans(in: text) else {
      throw KeepsakeError(
        .damaged, "The spans of piece \(piece) of a source can't be read.", remedy: .verify)
    }
    return spans
  }
}
