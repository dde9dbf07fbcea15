/// A table in Markdown: rows of cells between bars, with a row of dashes below the heading.
struct MarkdownTable {
  /// The lines of the table as they were written.
  let lines: [Substring]
  private let rows: [[StyledText]]
  private let sides: [Side]

  /// The alignment of a column.
  private enum Side {
    case left, right, middle
  }

  private static let most = 64

  /// Reads the table that begins with the first of some lines; nil if none does.
  init?(_ source: ArraySlice<Substring>) {
    guard let head = source.first, head.contains("|"), let rule = source.dropFirst().first,
      rule.contains("-"), rule.allSatisfy({ "|-: ".contains($0) })
    else { return nil }
    let sides = Self.cells(of: rule).map { cell -> Side in
      let cell = cell.filter { $0 != " " }
      return cell.last == ":" ? (cell.first == ":" ? .middle : .right) : .left
    }
    let heading = Self.cells(of: head)
    guard heading.count == sides.count, sides.count <= Self.most else { return nil }
    let body = source.dropFirst(2).prefix { $0.contains("|") }
    lines = [head, rule] + body
    self.sides = sides
    rows =
      [heading.map { MarkdownLine.styled($0, .strong) }]
      + body.map { line in
        let cells = Self.cells(of: line).prefix(sides.count)
        return cells.map { MarkdownLine.styled($0) }
          + Array(repeating: StyledText(), count: sides.count - cells.count)
      }
  }

  /// Returns the lines of the table in columns; nil if they don't fit the width.
  func laidOut(fitting width: Int, _ terminal: Terminal) -> [String]? {
    let measured = rows.map { $0.map(\.columns) }
    let widths = sides.indices.map { column in measured.map { $0[column] }.max() ?? 0 }
    guard widths.reduce(0, +) + 3 * (widths.count - 1) <= width else { return nil }
    let bar = StyledText(" │ ", .faint).text(terminal)
    var laidOut = rows.enumerated().map { row, cells in
      cells.enumerated().map { column, cell in
        let isLast = column == sides.count - 1
        // No invisible blanks are added at the end of a line.
        let gap = isLast && cell.isEmpty ? 0 : widths[column] - measured[row][column]
        let before =
          switch sides[column] {
          case .left: 0
          case .right: gap
          case .middle: gap / 2
          }
        return String(repeating: " ", count: before) + cell.text(terminal)
          + String(repeating: " ", count: isLast ? 0 : gap - before)
      }.joined(separator: bar)
    }
    let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: "─┼─")
    laidOut.insert(StyledText(rule, .faint).text(terminal), at: 1)
    return laidOut
  }

  /// Returns the cells of a line; a bar after a backslash or in code does not separate cells.
  private static func cells(of line: Substring) -> [[Character]] {
    var cells: [[Character]] = [[]]
    var isCode = false
    var isEscaped = false
    for character in line {
      if character == "`", !isEscaped { isCode.toggle() }
      if character == "|", !isCode, !isEscaped {
        cells.append([])
      } else {
        if character == "|", isEscaped { cells[cells.count - 1].removeLast() }
        cells[cells.count - 1].append(character)
      }
      isEscaped = character == "\\" && !isEscaped
    }
    var trimmed = cells.map { cell in
      let start = cell.firstIndex { $0 != " " } ?? cell.endIndex
      let end = cell.lastIndex { $0 != " " }.map { $0 + 1 } ?? start
      return Array(cell[start..<end])
    }
    if trimmed.first?.isEmpty == true { trimmed.removeFirst() }
    if trimmed.last?.isEmpty == true { trimmed.removeLast() }
    return trimmed
  }
}
