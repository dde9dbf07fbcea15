/// A table for people with columns as wide as their content; columns give way if a line is too short.
struct TextTable {
  /// A column with its heading and layout.
  struct Column {
    let heading: String
    var isNumber = false
    /// Whether the column becomes narrower if a line is too short for all columns.
    var gives = false
    /// The priority with which the column is left out if narrowing is not enough, the highest first; 0 for never.
    var leaves = 0
    var style: Terminal.Style?
  }

  let columns: [Column]
  private var rows: [[String]] = []

  init(_ columns: [Column]) { self.columns = columns }

  /// Adds a row; cells may contain any text.
  mutating func add(_ cells: [String]) { rows.append(cells.map { Terminal.oneLine($0) }) }

  /// The least width of a column that becomes narrower.
  private static let narrowest = 20
  private static let gap = 2
  /// The most columns to which other lines are aligned in a pipe; a wider cell only shifts the rest of its own line.
  private static let widestInPipe = 40

  func print(_ terminal: Terminal) throws {
    // Columns without any content are left out.
    var shown = columns.indices.filter { index in rows.contains { !$0[index].isEmpty } }
    var widths = columns.indices.map { index in
      max(columns[index].heading.columns, rows.map { $0[index].columns }.max() ?? 0)
    }
    if let width = terminal.width {
      fit(&shown, &widths, into: width)
    } else {
      for index in columns.indices where columns[index].gives {
        widths[index] = min(widths[index], max(Self.widestInPipe, columns[index].heading.columns))
      }
    }
    var text = ""
    let lines = [columns.map(\.heading)] + rows
    for (number, cells) in lines.enumerated() {
      var line = ""
      for index in shown {
        let column = columns[index]
        let fitted = terminal.width == nil ? cells[index] : cells[index].fitting(widths[index])
        let isLast = index == shown.last
        let cell =
          isLast && !column.isNumber
          ? fitted : fitted.padded(to: widths[index], right: column.isNumber)
        let style: Terminal.Style? = number == 0 ? .faint : column.style
        line += style.map { terminal.styled(cell, $0) } ?? cell
        if !isLast { line += String(repeating: " ", count: Self.gap) }
      }
      text += line + "\n"
    }
    try terminal.output(Array(text.utf8))
  }

  private func fit(_ shown: inout [Int], _ widths: inout [Int], into width: Int) {
    func excess() -> Int {
      shown.reduce(Self.gap * (shown.count - 1) - width) { $0 + widths[$1] }
    }
    guard let giving = shown.first(where: { columns[$0].gives }) else { return }
    let room = max(0, widths[giving] - Self.narrowest)
    while excess() > room,
      let leaving = shown.max(by: { columns[$0].leaves < columns[$1].leaves }),
      columns[leaving].leaves > 0
    {
      shown.removeAll { $0 == leaving }
    }
    widths[giving] -= min(room, max(0, excess()))
  }
}
