import Keepsake

/// A search's snippet on one line, which always contains the first found words, and marks them with colour if possible.
struct SnippetLine {
  /// The pieces of the text, and whether each is a found word.
  private var pieces: [(text: String, isMarked: Bool)] = []

  init(_ snippet: SearchHit.Snippet) {
    let text = Array(snippet.text.utf8)
    var start = 0
    for range in snippet.ranges
    where range.lowerBound >= start && range.upperBound <= text.count {
      add(text[start..<range.lowerBound], isMarked: false)
      add(text[range], isMarked: true)
      start = range.upperBound
    }
    add(text[start...], isMarked: false)
  }

  private mutating func add(_ bytes: ArraySlice<UInt8>, isMarked: Bool) {
    guard !bytes.isEmpty else { return }
    let text = Terminal.printable(String(decoding: bytes, as: UTF8.self))
      .map { $0.isNewline || $0 == "\t" ? " " : String($0) }.joined()
    pieces.append((text, isMarked))
  }

  /// Returns the line, cut to a width around the first found word.
  func text(fitting width: Int?, _ terminal: Terminal) -> String {
    var pieces = pieces
    if let width, pieces.reduce(0, { $0 + $1.text.columns }) > width {
      if let first = pieces.first, !first.isMarked {
        pieces[0].text = Self.end(of: first.text, width / 3)
      }
    }
    var room = width ?? .max
    var line = ""
    for piece in pieces where room > 0 {
      let text = width == nil ? piece.text : piece.text.fitting(room)
      room -= text.columns
      line += piece.isMarked ? terminal.styled(text, .mark) : text
      if text != piece.text { break }
    }
    return line
  }

  /// Returns the end of a text that fits a width.
  private static func end(of text: String, _ width: Int) -> String {
    guard text.columns > width else { return text }
    var rest = text[...]
    while rest.first != nil, String(rest).columns >= width { rest.removeFirst() }
    return "…" + rest
  }
}
