/// Which lists and quotes a line of Markdown stands in, and whether that is certain.
///
/// CommonMark decides that by all lines before. What would need all of its rules is called uncertain here, until a line
/// that begins anew.
struct MarkdownBlocks {
  /// A line behind the marks of the lists and quotes that it stands in.
  struct Line {
    let rest: ArraySlice<UInt8>
    /// The column at which the content of the innermost list item begins.
    let column: Int
    let isQuoted: Bool
    /// Whether it is indented so far that it begins no block but code.
    let isDeep: Bool
    /// Whether it is a line of indented code.
    let isCode: Bool
    let isCertain: Bool
  }

  /// The columns at which the contents of open list items begin.
  private var columns: [Int] = []
  private var isCertain = true
  /// Whether nothing stands directly above that a line could go on with.
  private(set) var isAfterBlank = true
  private var isInCode = false

  /// Takes a blank line.
  mutating func endParagraph() { isAfterBlank = true }

  /// Takes the next line, which is not blank.
  mutating func line(_ indent: MarkdownIndent) -> Line {
    let wasOpen = columns.count
    while let last = columns.last, indent.column < last { columns.removeLast() }
    let hasClosed = columns.count < wasOpen
    // No item's content begins so far to the left, and no paragraph goes on behind a blank line.
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
        // In a paragraph's next line only some marks begin a list; and an item that begins blank ends soon.
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
    // It may go on with a paragraph of an item that seems closed, and then that is not.
    if hasClosed, !isAfterBlank, !isMarked { isCertain = false }
    isAfterBlank = false
    isInCode = isCode
    return Line(
      rest: indent.rest, column: columns.last ?? 0, isQuoted: isQuoted,
      isDeep: depth > 3, isCode: isCode, isCertain: isCertain)
  }

  /// Where what may be a line across the page begins: from there on a line has one mark, and blanks.
  private static func rule(atEndOf rest: ArraySlice<UInt8>) -> Int {
    guard let mark = rest.last(where: { !$0.isMarkdownSpace }) else { return rest.endIndex }
    let before = rest.lastIndex { $0 != mark && !$0.isMarkdownSpace }
    return before.map { $0 + 1 } ?? rest.startIndex
  }

  /// The mark of a list item.
  private struct Mark {
    let length: Int
    /// Whether it begins a list also directly below a line of text.
    let interrupts: Bool

    /// - Parameters:
    ///   - rest: What stands there.
    ///   - rule: Where in the line what may be a line across the page begins.
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
