import Foundation

/// The rows as people read them, and as programs do.
package struct Report {
  package var rows: [Row]

  package init(rows: [Row]) { self.rows = rows }

  package var isMet: Bool { rows.allSatisfy(\.met) }

  package func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(rows), as: UTF8.self)
  }

  /// The rows with what a reader must know of where they come from.
  package func record(of machine: [String], isQuick: Bool) throws -> String {
    let date = Date.now.formatted(.iso8601.year().month().day())
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let record = Record(date: date, machine: machine, isQuick: isQuick, rows: rows)
    return String(decoding: try encoder.encode(record), as: UTF8.self) + "\n"
  }

  private struct Record: Encodable {
    let date: String
    let machine: [String]
    let isQuick: Bool
    let rows: [Row]
  }

  package func table() -> String {
    var cells = [["", "keepsake", "yardstick", "unit", "ratio", "goal", ""]]
    for row in rows {
      cells.append([
        row.name, row.value.short, row.yardstick.map(\.short) ?? "", row.unit,
        row.ratio.map(\.thousandths) ?? "", row.goal,
        row.goal.isEmpty ? "" : row.met ? "met" : "MISSED",
      ])
    }
    let widths = cells[0].indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    return cells.map { line in
      zip(line.indices, line).map { column, cell in
        let space = String(repeating: " ", count: widths[column] - cell.count)
        return [1, 2, 4].contains(column) ? space + cell : cell + space
      }.joined(separator: "  ").trimmingSuffix(" ")
    }.joined(separator: "\n")
  }
}

extension String {
  fileprivate func trimmingSuffix(_ character: Character) -> String {
    var text = self[...]
    while text.last == character { text.removeLast() }
    return String(text)
  }
}
