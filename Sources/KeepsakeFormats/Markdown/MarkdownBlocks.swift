/// Tracks which lists and quotes a line of Markdown stands in, and whether that is certain.
///
/// In CommonMark this depends on all lines before. Where all of CommonMark's rules would be needed, the answer is
/// called uncertain, until a line that certainly begins a new block.
struct MarkdownBlocks {
  /// A line without the marks of the lists and quotes that it stands in.
  struct Line {
    let rest: ArraySlice<UInt8>
    /// The column at which the content of the innermost list item begins.
    let column: Int
    let isQuoted: Bool
    /// Whether the line is indented so far that it can begin no block except code.
    let isDeep: Bool
    /// Whether the line belongs to a block of indented code.
    let isCode: Bool
    /// Whether the lists and quotes around the line are certain.
    let isCertain: Bool
  }

  /// The columns at which the contents of open list items begin.
  private var columns: [Int] = []
  private var isCertain = true
  /// Whether no paragraph stands directly above, which the next line could continue.
  private(set) var isAfterBlank = true
  private var isInCode = false

  /// Notes a blank line.
  mutating func endParagraph() { isAfterBlank = true }

  /// Reads the next line, which is not blank.
  mutating func line(_ indent: MarkdownIndent) -> Line {
    let wasOpen = columns.count
    while let last = columns.last, indent.column < last { columns.removeLast() }
    let hasClosed = columns.count < wasOpen
    // The content of a list item begins at column 2 or later, and no paragraph continues after a blank line.
    if isAfterBlank, indent.column < 2 { isCertain = true }
    var depth = indent.column - (columns.last ?? 0)
    let isCode = isCertain && depth >= 4 && (isAfterBlank || isInCode)
    var isQuoted = false
    var isMarked = false
    var indent = indent
    let rule = Self.rule(atEndOf: indent.rest)
    while depth <= 3 || !isCertain, !isCode {
      if indent.rest.first == UInt8(ascii: ">") {
        isQuoted = true
        isMarked = true
        indent = MarkdownIndent(indent.rest.dropFirst(), from: indent.column + 1)
      } else if let mark = Mark(indent.rest, before: rule) {
        let inside = MarkdownIndent(
          indent.rest.dropFirst(mark.length), from: indent.column + mark.length)
        // Below a line of text, only some marks begin a list. An item that begins with a blank line may end at once.
        if inside.isBlank || !isAfterBlank && !hasClosed && !isMarked && !mark.interrupts {
          isCertain = false
        }
        let gap = inside.column - indent.column - mark.length
        if !isQuoted {
          columns.append(
            indent.column + mark.length + (inside.isBlank || gap > 4 ? 1 : gap))
        }
        isMarked = true
        depth = gap > 4 ? gap : 0
        indent = inside
        if gap > 4 { break }
      } else {
        break
      }
    }
    // The line may continue a paragraph of an item that seems closed; then the item is still open.
    if hasClosed, !isAfterBlank, !isMarked { isCertain = false }
    isAfterBlank = false
    isInCode = isCode
    return Line(
      rest: indent.rest, column: columns.last ?? 0, isQuoted: isQuoted,
      isDeep: depth > 3, isCode: isCode, isCertain: isCertain)
  }

  /// The index at which a possible thematic break begins: from there on, the line holds one mark and blanks only.
  private static func rule(atEndOf rest: ArraySlice<UInt8>) -> Int {
    guard let mark = rest.last(where: { !$0.isMarkdownSpace }) else { return rest.endIndex }
    let before = rest.lastIndex { $0 != mark && !$0.isMarkdownSpace }
    return before.map { $0 + 1 } ?? rest.startIndex
  }

  /// The mark of a list item, such as `-` or `1.`.
  private struct Mark {
    let length: Int
    /// Whether the mark begins a list even directly below a line of text.
    let interrupts: Bool

    /// - Parameters:
    ///   - rest: The line from the possible mark on.
    ///   - rule: The index at which a possible thematic break begins.
    init?(_ rest: ArraySlice<UInt8>, before rule: Int) {
      guard let first = rest.first else { return nil }
      if "-+*".utf8.contains(first) {
        let isRule =
          rest.startIndex >= rule && first != UInt8(ascii: "+")
          && rest.lazy.filter { $0 == first }.prefix(3).count == 3
        if isRule { return nil }
        length = 1
        interrupts = true
      } else {
        let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        guard 1...9 ~= digits.count, let end = rest.dropFirst(digits.count).first,
          end == UInt8(ascii: ".") || end == UInt8(ascii: ")")
        else { return nil }
        length = digits.count + 1
        interrupts = digits.elementsEqual([UInt8(ascii: "1")])
      }
      guard rest.dropFirst(length).first.map(\.isMarkdownSpace) ?? true else { return nil }
    }
  }
}
