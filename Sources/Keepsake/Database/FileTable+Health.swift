import KeepsakeSQLite

extension FileTable {
  /// The version of the SQLite library that this process runs with.
  static var libraryVersion: String { Connection.libraryVersion }

  /// Tells whether another program that writes to the database with this library could damage it.
  static var hasWALResetBug: Bool { Connection.hasWALResetBug }

  /// Reads the version of the schema.
  func schemaVersion() throws -> Int { Int(try db.integer("PRAGMA user_version") ?? 0) }

  /// Reads the size of the database in bytes.
  func databaseBytes() throws -> Int64 {
    (try db.integer("PRAGMA page_count") ?? 0) * (try db.integer("PRAGMA page_size") ?? 0)
  }

  /// Reads the number of bytes inside of the database that are free.
  func freeBytes() throws -> Int64 {
    (try db.integer("PRAGMA freelist_count") ?? 0) * (try db.integer("PRAGMA page_size") ?? 0)
  }
}
