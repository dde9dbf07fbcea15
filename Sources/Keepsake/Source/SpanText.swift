import KeepsakeSQLite

/// The spans of a piece, as the text that its row has of them.
///
/// Each is `artifact,distance,spelling`: the artifact's number, where it stands, counted from the span before (the first
/// from the piece's beginning), and how it is spelled. What is the same as for the span before is left out at the end: the
/// spelling, and then the distance. Semicolons separate them: `1,119,2;2,109;3;4;1,109,3`. That is short, because a log
/// repeats an image tens of thousands of times, and SQL and people can read it. A list of spans has one text only, and any
/// other text is damage.
enum SpanText {
  /// Nil where there are no spans.
  static func make(_ spans: [SourcePiece.Span]) -> String? {
    if spans.isEmpty { return nil }
    var text = ""
    var position = 0
    var distance: Int?
    var spelling: Base64Spelling?
    for span in spans {
      precondition(span.position >= position, "Spans stand in their order")
      let found = span.position - position
      if !text.isEmpty { text += ";" }
      text += "\(span.artifact)"
      if span.spelling != spelling {
        text += ",\(found),\(span.spelling.rawValue)"
      } else if found != distance {
        text += ",\(found)"
      }
      (position, distance, spelling) = (span.position, found, span.spelling)
    }
    return text
  }

  /// Nil where it is no text that ``make(_:)`` gives.
  static func spans(in text: [UInt8]) -> [SourcePiece.Span]? {
    var reader = Reader(text: text)
    var spans: [SourcePiece.Span] = []
    var position: Int64 = 0
    var distance: Int64?
    var spelling: Base64Spelling?
    repeat {
      guard let artifact = reader.number(in: .row) else { return nil }
      if reader.skip(UInt8(ascii: ",")) {
        guard let found = reader.number(in: .size) else { return nil }
        if reader.skip(UInt8(ascii: ",")) {
          guard let number = reader.number(in: .size),
            let found = Base64Spelling(rawValue: Int(number)), found != spelling
          else { return nil }
          spelling = found
        } else if found == distance {
          return nil
        }
        distance = found
      }
      guard let distance, let spelling else { return nil }
      // Both are far below the half of what there can be.
      position += distance
      guard ClosedRange<Int64>.size.contains(position) else { return nil }
      spans.append(.init(position: Int(position), artifact: artifact, spelling: spelling))
    } while reader.skip(UInt8(ascii: ";"))
    return reader.isAtEnd ? spans : nil
  }

  /// The spans of a piece whose text is in a column; none for NULL.
  static func spans(of piece: Int64, in column: Int, of row: borrowing Statement)
    throws(KeepsakeError) -> [SourcePiece.Span]
  {
    guard let text = row.optionalBytes(column) else { return [] }
    guard let spans = spans(in: text) else {
      throw KeepsakeError(
        .damaged, "The spans of piece \(piece) of a source can't be read.", remedy: .verify)
    }
    return spans
  }

  private struct Reader {
    let text: [UInt8]
    private var index = 0

    init(text: [UInt8]) { self.text = text }

    var isAtEnd: Bool { index == text.count }

    mutating func skip(_ byte: UInt8) -> Bool {
      guard index < text.count, text[index] == byte else { return false }
      index += 1
      return true
    }

    /// A number without a sign, and without zeros before it.
    mutating func number(in range: ClosedRange<Int64>) -> Int64? {
      let start = index
      var number: Int64 = 0
      while index < text.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[index]) {
        guard number > 0 || index == start else { return nil }
        number = number * 10 + Int64(text[index] - UInt8(ascii: "0"))
        // So it stays far from overflowing.
        guard number <= range.upperBound else { return nil }
        index += 1
      }
      return index > start && range.contains(number) ? number : nil
    }
  }
}
