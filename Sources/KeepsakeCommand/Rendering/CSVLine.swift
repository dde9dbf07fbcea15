/// A line of comma-separated values, as RFC 4180 defines it.
///
/// Spreadsheets run a cell that begins like a formula, so such a cell gets an apostrophe, which makes it text.
struct CSVLine {
  /// The text of the line, without a line end.
  let text: String

  /// The characters with which formulas begin, in normal and full width.
  private static let formulas = "=+-@\t\r\n\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars

  init(_ cells: [String]) { text = cells.map(Self.cell).joined(separator: ",") }

  private static func cell(_ text: String) -> String {
    let runs = text.unicodeScalars.first.map(formulas.contains) ?? false
    let safe = runs ? "'\(text)" : text
    let needsQuotes = safe.unicodeScalars.contains { "\",\r\n\t;".unicodeScalars.contains($0) }
    return needsQuotes ? "\"\(safe.replacing("\"", with: "\"\""))\"" : safe
  }
}
