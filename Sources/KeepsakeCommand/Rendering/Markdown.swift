/// Markdown with light formatting for a terminal, in which none of the text is lost.
///
/// Line breaks stay. The time is proportional to the length of any text.
struct Markdown {
  private let source: [Substring]

  /// Splits a text into lines.
  ///
  /// - Parameter text: The Markdown, in which control characters have been made visible.
  init(_ text: String) {
    source = text.split(omittingEmptySubsequences: false) { $0 == "\n" }
  }

  /// The most levels of nesting that are shown.
  private static let depth = 6

  /// Returns the formatted lines, folded to a width.
  func lines(fitting width: Int?, _ terminal: Terminal) -> [String] {
    var page = Page(width: width ?? .max, terminal: terminal)
    var index = 0
    while index < source.count {
      index += page.add(source, at: index)
    }
    return page.lines
  }

  /// The lines laid out so far, and the blocks that are open.
  private struct Page {
    let width: Int
    let terminal: Terminal
    private(set) var lines: [String] = []
    /// The open fence of a code block, which began with a line of backticks or tildes.
    private var fence: Fence?
    /// Whether an indented line belongs to a list, and is not code.
    private var isInList = false
    private var followsBlank = true

    /// The mark that began a code block, with which the block also ends.
    private struct Fence {
      let mark: Character
      let count: Int
      let quotes: Int
      let indent: Int
    }

    init(width: Int, terminal: Terminal) {
      self.width = width
      self.terminal = terminal
    }

    /// Lays out the block that begins at a line, and returns its number of lines.
    mutating func add(_ source: [Substring], at index: Int) -> Int {
      if let fence, addCode(source[index], fence) { return 1 }
      let (quotes, line) = MarkdownBlock.unquoted(source[index], most: .max)
      let indent = line.prefix { $0 == " " }.count
      let rest = line.dropFirst(indent)
      defer { followsBlank = rest.isEmpty }
      if rest.isEmpty {
        lines.append(margin(quotes).text(terminal))
        return 1
      }
      if indent < 4 || isInList, let mark = MarkdownBlock.fence(rest) {
        fence = Fence(mark: mark.mark, count: mark.count, quotes: quotes, indent: indent)
        return 1
      }
      if indent >= 4, !isInList, followsBlank || lines.isEmpty {
        addPieces(String(line), quotes: quotes)
        return 1
      }
      if indent < 4, quotes == 0, let table = MarkdownTable(source[index...]) {
        addTable(table)
        isInList = false
        return table.lines.count
      }
      if indent < 4, MarkdownBlock.isRule(rest) {
        let rule = StyledText(String(repeating: "─", count: min(40, room(quotes))), .faint)
        lines.append(margin(quotes).text(terminal) + rule.text(terminal))
        isInList = false
      } else if indent < 4, let heading = MarkdownBlock.heading(rest) {
        addFolded(
          MarkdownLine.styled(heading.text, heading.level < 3 ? .heading : .strong),
          quotes: quotes)
        isInList = false
      } else if let item = MarkdownBlock.item(rest) {
        isInList = true
        addFolded(
          MarkdownLine.styled(item.text), quotes: quotes, indent: indent, head: item.head)
      } else {
        if indent == 0, followsBlank { isInList = false }
        addFolded(MarkdownLine.styled(rest), quotes: quotes, indent: indent)
      }
      return 1
    }

    // MARK: - Pieces

    /// Adds a line of code; returns false if the code block ended before the line, because a quotation ended.
    private mutating func addCode(_ line: Substring, _ fence: Fence) -> Bool {
      let (quotes, inner) = MarkdownBlock.unquoted(line, most: fence.quotes)
      let blanks = inner.prefix { $0 == " " }.count
      let rest = inner.dropFirst(blanks)
      let ends = rest.prefix { $0 == fence.mark }.count
      let isEnd = ends >= fence.count && rest.dropFirst(ends).allSatisfy { $0 == " " }
      if isEnd || quotes < fence.quotes {
        self.fence = nil
        followsBlank = true
        return isEnd
      }
      addPieces(
        "  " + inner.dropFirst(min(blanks, fence.indent)), quotes: quotes)
      return true
    }

    private mutating func addPieces(_ code: String, quotes: Int) {
      let margin = margin(quotes).text(terminal)
      for piece in StyledText(code, .code).pieces(fitting: room(quotes), terminal) {
        lines.append(margin + piece)
      }
    }

    /// Adds folded text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - quotes: The depth of quotation.
    ///   - indent: The number of blanks before all lines.
    ///   - head: The text before the first line, whose width is left free before the others.
    private mutating func addFolded(
      _ text: StyledText, quotes: Int, indent: Int = 0, head: String = ""
    ) {
      let blanks = String(repeating: " ", count: min(indent, room(quotes) / 2))
      let margin = margin(quotes).text(terminal) + blanks
      let taken = blanks.count + head.columns
      let hanging = String(repeating: " ", count: head.columns)
      for (index, line) in text.lines(fitting: room(quotes) - taken, terminal).enumerated() {
        lines.append(margin + (index == 0 ? head : hanging) + line)
      }
    }

    private mutating func addTable(_ table: MarkdownTable) {
      if let laidOut = table.laidOut(fitting: width, terminal) {
        lines += laidOut
      } else {
        for line in table.lines { addFolded(MarkdownLine.styled(line), quotes: 0) }
      }
    }

    private func margin(_ quotes: Int) -> StyledText {
      StyledText(String(repeating: "│ ", count: min(quotes, Markdown.depth)), .faint)
    }

    private func room(_ quotes: Int) -> Int { max(10, width - 2 * min(quotes, Markdown.depth)) }
  }
}
