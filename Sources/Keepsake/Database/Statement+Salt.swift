import KeepsakeFiles
import KeepsakeSQLite

extension Statement {
  /// Binds a salt as a blob of 16 bytes.
  func bind(_ value: Salt, at index: Int? = nil) {
    value.withBytes { bind($0, at: index) }
  }

  /// A salt; nil for NULL, and for anything that is not 16 bytes.
  func salt(_ column: Int? = nil) -> Salt? { Salt(span(column)) }
}
