#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite
import Keepsake

extension JSONWriter {
  /// Writes the columns of a row as members of the open object.
  ///
  /// A NULL is left out, so that a column which a later version adds does not change the record of a row without a
  /// value in it.
  mutating func columns(_ row: borrowing Statement, leavingOut omitted: Set<String> = []) {
    for column in 0..<row.columnCount {
      let name = row.name(column)
      guard !omitted.contains(name), row.kind(column) != .null else { continue }
      key(escaping: name)
      value(row, column)
    }
  }

  private mutating func value(_ row: borrowing Statement, _ column: Int) {
    switch row.kind(column) {
    case .null: null()
    case .integer: int(row.int64(column))
    case .real:
      // JSON has no infinity. SQLite stores NaN as NULL, so infinity is the only failure.
      do { try double(row.double(column)) } catch {
        string(row.double(column) < 0 ? "-Infinity" : "Infinity")
      }
    case .text:
      let text = row.text(column)
      // SQLite stores any bytes as text, also invalid UTF-8.
      if text.utf8.elementsEqual(row.bytes(column)) { string(text) } else { base64(row, column) }
    case .blob: base64(row, column)
    }
  }

  /// Writes bytes as an object, `{"base64": …}`.
  private mutating func base64(_ row: borrowing Statement, _ column: Int) {
    beginObject()
    member("base64", base64: Data(row.bytes(column)))
    endObject()
  }
}
