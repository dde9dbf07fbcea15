import CKeepsakeSQLite

/// Extended result codes, which SQLite's header composes in a way that Swift can't import.
enum ExtendedCode {
  /// The file ended before what was to be read.
  static let shortRead = SQLITE_IOERR | 2 << 8
  /// The index of the log has to be made anew, and this connection may not write it.
  static let readOnlyRecovery = SQLITE_READONLY | 1 << 8
  /// The index of the log can only be read, and nobody keeps it up to date.
  static let readOnlyCantInit = SQLITE_READONLY | 5 << 8
  /// Another connection wrote after the snapshot was taken.
  static let busySnapshot = SQLITE_BUSY | 2 << 8
}
