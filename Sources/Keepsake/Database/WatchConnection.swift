import KeepsakeSQLite

/// A connection of its own, on which a thread looks whether another process has changed the database.
struct WatchConnection {
  private let db: Connection

  init(_ database: Database) throws { db = try database.readers.makeConnection() }

  /// Reads a number that differs after another connection has committed.
  func dataVersion() throws -> Int64 { try db.dataVersion() }

  /// Runs the body in a read transaction.
  func read(_ body: (Tables) throws -> Void) throws {
    try db.execute("BEGIN DEFERRED")
    do {
      try body(Tables(db))
      try db.execute("COMMIT")
    } catch {
      if db.isInTransaction { try db.execute("ROLLBACK") }
      throw error
    }
  }

  func close() { db.close() }
}
