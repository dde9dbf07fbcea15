import CKeepsakeSQLite

extension Connection {
  /// The version of the SQLite library that this process runs with, such as `3.40.1`.
  package static var libraryVersion: String {
    unsafe String(cString: sqlite3_libversion())
  }

  /// The version number of the SQLite library that this process runs with, such as 3040001.
  ///
  /// The number is asked for at run time, because the library is linked dynamically and may be newer than the one at compile
  /// time.
  package static var libraryVersionNumber: Int {
    Int(sqlite3_libversion_number())
  }

  /// Whether this SQLite corrupts the database when another connection commits during a checkpoint.
  ///
  /// Our own writers are safe on such a library, because they checkpoint only while they hold the
  /// lock that every commit needs. Other programs on the same file are not.
  package static var hasWALResetBug: Bool {
    hasWALResetBug(version: libraryVersionNumber)
  }

  /// Returns whether a version of SQLite has the WAL-reset bug: from 3.7.0 on, until it was fixed in 3.51.3, 3.50.7 and 3.44.6.
  package static func hasWALResetBug(version: Int) -> Bool {
    switch version {
    case ..<3_007_000: false
    case 3_044_006..<3_045_000: false
    case 3_050_007..<3_051_000: false
    default: version < 3_051_003
    }
  }
}
