#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

import KeepsakeFiles

/// Brings a database to the schema of this build, a step at a time, and never backwards.
///
/// The database itself records the applied steps with the checksum of each script. `user_version` is the number of applied
/// steps, and `application_id` says that the file is a store.
package struct Migrator: Sendable {
  private let migrations: [Migration]
  private let checksums: [SHA256Digest]
  private let applicationID: Int32
  private let now: @Sendable () -> Int64

  /// Creates a migrator for all schema steps of this build.
  ///
  /// - Parameters:
  ///   - migrations: The steps, in order.
  ///   - applicationID: The application id that marks a database as ours; not 0.
  ///   - now: A clock that gives the time to record for a step, in microseconds UTC.
  package init(
    _ migrations: [Migration], applicationID: Int32,
    now: @escaping @Sendable () -> Int64 = Migrator.wallClock
  ) {
    precondition(applicationID != 0, "0 is the application id of a file that belongs to nobody")
    self.migrations = migrations
    self.checksums = migrations.map { SHA256.digest(of: $0.sql) }
    self.applicationID = applicationID
    self.now = now
  }

  /// The number of schema steps that this build knows.
  package var latest: Int { migrations.count }

  /// The wall clock, in microseconds UTC.
  package static let wallClock: @Sendable () -> Int64 = {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }

  /// Checks that the database is a sound store, and returns the number of schema steps that were applied.
  ///
  /// A number below ``latest`` is not an error: an empty database has 0 steps. Before each write transaction, use the much
  /// cheaper ``recheck(_:)``.
  /// - Throws: A ``MigrationError`` if the database is not a store, is newer than this build, or is damaged.
  package func check(_ db: Connection) throws -> Int {
    do {
      return try checked(db)
    } catch let error as SQLiteError where error.isNotADatabase {
      throw MigrationError.notAStore(path: db.path)
    } catch let error as SQLiteError where error.isCorrupt {
      throw MigrationError.damaged(reason: error.message, path: db.path)
    }
  }

  /// Checks in about a microsecond that no newer version has upgraded the database since ``check(_:)``.
  ///
  /// A writer calls this at the beginning of each write transaction.
  /// - Throws: ``MigrationError/newer(found:known:path:)``.
  package func recheck(_ db: Connection) throws {
    let version = Int(try db.integer("PRAGMA user_version") ?? 0)
    guard version <= latest else {
      throw MigrationError.newer(found: version, known: latest, path: db.path)
    }
  }

  /// Applies the schema steps that the database lacks, each in a transaction of its own.
  ///
  /// Several processes may migrate at once, because each step checks the database again under the write lock. A failed step is
  /// undone as a whole, and earlier steps stay.
  /// - Throws: A ``MigrationError`` for a step that failed or a database that can't be migrated, or the error of SQLite.
  package func migrate(_ db: Connection) throws {
    precondition(!db.isInTransaction, "A migration has its own transactions")
    guard try check(db) < latest else { return }
    // A step may rebuild a table to which others refer. As SQLite advises, foreign keys are off outside the transaction, and
    // all references are checked before the commit.
    try db.execute("PRAGMA foreign_keys = OFF")
    var failure: (any Error)?
    do {
      while try applyNext(db) {}
    } catch {
      failure = error
    }
    try db.execute("PRAGMA foreign_keys = ON")
    if let failure { throw failure }
  }

  /// Returns the schema after the given number of steps, by applying them to a new database in memory.
  package func schema(steps: Int) throws -> [SchemaObject] {
    let db = try Connection(path: ":memory:", access: .readWrite)
    defer { db.close() }
    try Migrator(Array(migrations.prefix(steps)), applicationID: applicationID, now: now).migrate(
      db)
    return try SchemaObject.all(in: db)
  }

  /// Applies the first missing step, and returns whether there was one.
  private func applyNext(_ db: Connection) throws -> Bool {
    try db.execute("BEGIN IMMEDIATE")
    do {
      let applied = try check(db)
      guard applied < latest else {
        try db.commit()
        return false
      }
      let migration = migrations[applied]
      do throws(SQLiteError) {
        try apply(migration, number: applied + 1, checksum: checksums[applied], to: db)
      } catch {
        throw MigrationError.failed(name: migration.name, reason: error)
      }
      if let broken = try db.brokenForeignKeys().first {
        throw MigrationError.brokenReferences(
          name: migration.name, table: broken.table, path: db.path)
      }
      try db.commit()
      return true
    } catch {
      // After some errors SQLite has rolled back already.
      if db.isInTransaction { try db.execute("ROLLBACK") }
      throw error
    }
  }

  private func apply(
    _ migration: Migration, number: Int, checksum: SHA256Digest, to db: Connection
  ) throws(SQLiteError) {
    if number == 1 {
      try db.execute(
        """
        CREATE TABLE migration (
          number INTEGER PRIMARY KEY,
          name TEXT NOT NULL,
          checksum BLOB NOT NULL,
          applied INTEGER NOT NULL
        ) STRICT;
        PRAGMA application_id = \(applicationID);
        """)
    }
    try db.execute(String(decoding: migration.sql, as: UTF8.self))
    guard db.isInTransaction else {
      throw SQLiteError(
        extendedCode: 1, message: "the script ends the transaction that it runs in",
        sql: migration.name)
    }
    let insert = try db.prepare(
      "INSERT INTO migration (number, name, checksum, applied) VALUES (?1, ?2, ?3, ?4)")
    insert.bind(number)
    insert.bind(migration.name)
    insert.bind(checksum)
    insert.bind(now())
    try insert.run()
    try db.execute("PRAGMA user_version = \(number)")
  }

  private func checked(_ db: Connection) throws -> Int {
    let owner = try db.integer("PRAGMA application_id") ?? 0
    let version = Int(try db.integer("PRAGMA user_version") ?? 0)
    guard owner == Int64(applicationID) else {
      // A store begins in an empty database without an application id. Any other database belongs to another program.
      let isEmpty = try db.integer("SELECT count(*) FROM sqlite_schema") == 0
      guard owner == 0, version == 0, isEmpty else {
        throw MigrationError.notAStore(path: db.path)
      }
      return 0
    }
    guard version <= latest else {
      throw MigrationError.newer(found: version, known: latest, path: db.path)
    }
    try checkRecord(of: version, in: db)
    return version
  }

  /// Compares the database's record of applied steps with the steps of this build.
  private func checkRecord(of version: Int, in db: Connection) throws {
    let hasRecord = try db.integer(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'migration'")
    guard version > 0, hasRecord == 1 else {
      throw MigrationError.damaged(reason: "the record of its schema is missing", path: db.path)
    }
    let rows = try db.prepare("SELECT number, name, checksum FROM migration ORDER BY number")
    var count = 0
    while try rows.step() {
      guard rows.int(0) == count + 1, count < version else {
        throw MigrationError.damaged(
          reason: "the record of its schema contradicts itself", path: db.path)
      }
      let name = rows.text(1)
      guard name == migrations[count].name, rows.digest(2) == checksums[count] else {
        throw MigrationError.changed(name: name, path: db.path)
      }
      count += 1
    }
    guard count == version else {
      throw MigrationError.damaged(
        reason: "the record of its schema is incomplete", path: db.path)
    }
  }
}
