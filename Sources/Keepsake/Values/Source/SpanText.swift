/// The spans of a piece, as the text that its row has of them.
///
/// A span is `artifact,distance,spelling`: the number of the artifact, the number of bytes between the span and the one
/// before it (for the first, the beginning of the piece), and how the base64 is spelled. Semicolons separate spans. From
/// its end, a span leaves out what the one before it lets expect: the same spelling, then the same distance, then the
/// artifact with the next number. `1,119,2;2,109;;4,0;1,109,3` has five spans, and the third is of artifact 3. The text is
/// short, because a log repeats its images tens of thousands of times, and SQL and people can read it. A list of spans has
/// one text only, and any other text is damage.
enum SpanText {
  /// Returns the text of some spans; nil if there are none.
  static func make(_ spans: [SourcePiece.Span]) -> String? {
    if spans.isEmpty { return nil }
    var text = ""
    var position = 0
    var distance = 0
    var before: SourcePiece.Span?
    for span in spans {
      precondition(span.position >= position, "Spans stand in their order")
      let found = span.position - position
      if before != nil { text += ";" }
      if span.spelling != before?.spelling {
        text += "\(span.artifact),\(found),\(span.spelling.rawValue)"
      } else if found != distance {
        text += "\(span.artifact),\(found)"
      } else if span.artifact - 1 != before?.artifact {
        text += "\(span.artifact)"
      }
      (position, distance, before) = (span.position, found, span)
    }
    return text
  }

  /// Returns the spans in a text; nil for any text that ``make(_:)`` does not give.
  static func spans(in text: [UInt8]) -> [SourcePiece.Span]? {
    var reader = Reader(text: text)
    var spans: [SourcePiece.Span] = []
    var distance: Int64 = 0
    repeat {
      guard let span = reader.span(after: spans.last, &distance) else { return nil }
      spans.append(span)
    } while reader.skip(UInt8(ascii: ";"))
    return reader.isAtEnd ? spans : nil
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

    /// Reads the next span; nil if the text has none there.
    ///
    /// - Parameters:
    ///   - before: The span before this one; nil for the first.
    ///   - distance: The distance of the span before, and then of this one.
    mutating func span(after before: SourcePiece.Span?, _ distance: inout Int64)
      -> SourcePiece.Span?
    {
      var artifact: Int64?
      var spelling = before?.spelling
      if isAtEnd || text[index] == UInt8(ascii: ";") {
        artifact = before.map { $0.artifact + 1 }
      } else {
        artifact = number(in: .row)
        if skip(UInt8(ascii: ",")) {
          guard let found = number(in: .size) else { return nil }
          if skip(UInt8(ascii: ",")) {
            guard let number = number(in: .size),
              let found = Base64Spelling(rawValue: Int(number)), found != spelling
            else { return nil }
            spelling = found
          } else if found == distance {
            return nil
          }
          distance = found
        } else if let before, artifact == before.artifact + 1 {
          return nil
        }
      }
      // Both terms of the sum are far below half of the largest number.
      let position = Int64(before?.position ?? 0) + distance
      guard let artifact, let spelling, ClosedRange<Int64>.row.contains(artifact),
        ClosedRange<Int64>.size.contains(position)
      else { return nil }
      return .init(position: Int(position), artifact: artifact, spelling: spelling)
    }

    /// Reads a number without a sign, and without zeros before it; nil if there is none, or one outside of the range.
    mutating func number(in range: ClosedRange<Int64>) -> Int64? {
      let start = index
      var number: Int64 = 0
      while index < text.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[index]) {
        guard number > 0 || index == start else { return nil }
        number = number * 10 + Int64(text[index] - UInt8(ascii: "0"))
        // The number stays far from overflowing.
        guard number <= range.upperBound else { return nil }
        index += 1
      }
      return index > start && range.contains(number) ? number : nil
    }
  }
}
