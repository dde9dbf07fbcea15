/// Rows under headings, in columns that are as wide as what stands in them; one of them gives way where a line is short.
struct TextTable {
  struct Column {
    let heading: String
    var isNumber = false
    /// Whether it gets narrower where the line is too short for all.
    var gives = false
    /// Where even that is not enough, the column with the highest leaves first; those with 0 stay.
    var leaves = 0
    var style: Terminal.Style?
  }

  let columns: [Column]
  private var rows: [[String]] = []

  init(_ columns: [Column]) { self.columns = columns }

  /// Adds a row; its cells may say anything.
  mutating func add(_ cells: [String]) { rows.append(cells.map { Terminal.oneLine($0) }) }

  /// The narrowest that a column which gives way becomes.
  private static let narrowest = 20
  private static let gap = 2
  /// In a pipe nothing is cut off: what is wider than this moves the rest of its own line alone.
  private static let widestInPipe = 40

  func print(_ terminal: Terminal) throws {
    // What is empty in every row is only in the way.
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
