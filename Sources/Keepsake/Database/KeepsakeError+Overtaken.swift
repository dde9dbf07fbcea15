import KeepsakeSQLite

extension KeepsakeError {
  /// Tells whether somebody opened the store for writing while it was read as one that nobody writes to.
  ///
  /// Whoever opens the store again reads it beside the writer.
  package var isOvertaken: Bool { (cause as? SQLiteError)?.isOvertaken == true }
}
