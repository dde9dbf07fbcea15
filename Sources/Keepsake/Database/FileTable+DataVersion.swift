import KeepsakeSQLite

extension FileTable {
  /// Returns a number that differs after another connection, in this or another process, has committed.
  func dataVersion() throws -> Int64 { try db.dataVersion() }
}
