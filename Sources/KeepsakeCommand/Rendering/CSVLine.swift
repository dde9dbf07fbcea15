/// A line of comma-separated values, as RFC 4180 has it.
///
/// Spreadsheets run a cell that begins as a formula does: an apostrophe before it makes it text.
struct CSVLine {
  /// Without the end of the line.
  let text: String

  /// What formulas begin with, in plain and in wide letters.
  private static let formulas = "=+-@\t\r\n\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars

  init(_ cells: [String]) { text = cells.map(Self.cell).joined(separator: ",") }

  private static func cell(_ text: String) -> String {
    let runs = text.unicodeScalars.first.map(formulas.contains) ?? false
    let safe = runs ? "'\(text)" : text
    let needsQuotes = safe.unicodeScalars.contains { "\",\r\n\t;".unicodeScalars.contains($0) }
    return needsQuotes ? "\"\(safe.replacing("\"", with: "\"\""))\"" : safe
  }
}
