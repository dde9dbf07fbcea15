#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

extension Database {
  /// The work that others give to the database of a store that is open for writing.
  struct Duties: Sendable {
    /// The longest time for which a write request waits while another process holds the lock for writing.
    var patience: Duration
    /// A closure that looks at the database at the beginning of each write transaction.
    var look: @Sendable (Tables) -> Void
    /// The work while nobody writes; nil for none.
    var idle: Idle?
    /// Gives the room that is kept for deletions back to the disk; false where there was none.
    var release: @Sendable () -> Bool
    /// Takes the room for deletions from the disk again, if the disk has it.
    var renew: @Sendable () -> Void
    /// Tells whether the writer lists the rows that it changes even if the store joined no hub.
    var tracksChanges: Bool

    /// The work that is done a piece at a time after nobody has written for a while.
    struct Idle: Sendable {
      /// The time without a write after which the idle work begins.
      var delay: Duration
      /// Does one piece of the work in a transaction, and returns whether there is more.
      var step: @Sendable (WriteTables) throws -> Bool
      /// Returns whether so much waits that some must be done even though the writing never stops.
      var isPressing: @Sendable (Tables) throws -> Bool
      /// Does a piece of other work outside a transaction, after the last step, and returns whether there is more.
      var last: @Sendable (Tables) throws -> Bool
    }
  }

  /// Makes the database of a new store.
  static func make(at path: String, store id: UUID, created: Int64) throws {
    let db = try Connection(path: path, access: .create)
    defer { db.close() }
    try StoreSchema.migrator.migrate(db)
    let files = Tables(db).files
    try files.insertStore(id: id.bytes, created: created)
    try files.truncateLog()
  }

  /// Opens a database for writing, and brings an older one up to date first.
  static func openForWriting(_ layout: StoreLayout, _ duties: Duties) throws -> Database {
    let path = layout.databasePath
    let files = try DatabaseFiles(layout)
    let lock = try migrate(layout, patience: duties.patience)
    let look = duties.look
    let listing = ChangeListing(isWanted: duties.tracksChanges)
    var configuration = Writer.Configuration(lock: lock) { db in
      try StoreSchema.migrator.recheck(db)
      try listing.keepUp(Tables(db))
      look(Tables(db))
    }
    configuration.requireInPlace = { try files.requireInPlace() }
    configuration.patience = duties.patience
    configuration.reserve = Writer.Reserve(release: duties.release, renew: duties.renew)
    configuration.idle = duties.idle.map(Writer.IdleWork.init)
    let writer = try Writer(name: "keepsake-writer", configuration: configuration) {
      let db = try Connection(path: path, access: .readWrite)
      try files.rememberLog()
      return db
    }
    let readers = readers { try Connection(path: path, access: .readOnly) }
    return Database(readers: readers, writer: writer, listing: listing)
  }

  /// Opens a database for reading without changing a byte: beside a writer, with a log of a crash, or on read-only media.
  static func openForReading(_ layout: StoreLayout) throws -> Database {
    let path = layout.databasePath
    let found = try inspect(layout)
    guard found == StoreSchema.migrator.latest else {
      throw KeepsakeError(
        .readOnly,
        "The store at '\(layout.path)' is of an older version (schema \(found); this build reads \(StoreSchema.migrator.latest)). Open it once for writing to bring it up to date.",
        object: layout.path)
    }
    return Database(readers: readers { try openUntouched(path) }, writer: nil)
  }

  private static func readers(_ opening: @escaping @Sendable () throws -> Connection) -> ReaderPool
  {
    ReaderPool(limit: max(4, ProcessInfo.processInfo.activeProcessorCount), opening: opening)
  }
}

extension Writer.IdleWork {
  fileprivate init(_ idle: Database.Duties.Idle) {
    self.init(after: idle.delay) { try idle.step(WriteTables($0)) }
    isPressing = { try idle.isPressing(Tables($0)) }
    last = { try idle.last(Tables($0)) }
  }
}

// MARK: - Versions

extension Database {
  /// Brings an older store up to date under the lock that it returns; processes that do so at the same time take turns.
  private static func migrate(_ layout: StoreLayout, patience: Duration) throws -> FairLock {
    let found = try inspect(layout)
    // The lock is made only now, because nothing must be made in a folder that is no store.
    let lock = try FileLock(path: layout.lockPath)
    let fair = try FairLock(lock, queue: layout.queuePath)
    if found == StoreSchema.migrator.latest { return fair }
    guard try lock.lock(until: .now.advanced(by: patience)) else {
      throw WriterError.lockTimeout(holder: lock.blocker)
    }
    let db = try Connection(path: layout.databasePath, access: .readWrite)
    defer { db.close() }
    try StoreSchema.migrator.migrate(db)
    try lock.unlock()
    return fair
  }

  /// Returns the number of schema steps of the database, without making or changing a file.
  private static func inspect(_ layout: StoreLayout) throws -> Int {
    let db = try openUntouched(layout.databasePath)
    defer { db.close() }
    return try checkMade(db, layout.path)
  }

  /// Opens a connection that changes no byte of the store.
  ///
  /// If a program was killed while it wrote the log's index, and other processes have the index open, one of them repairs it at
  /// its next read or write. That may never happen, so this function repairs it by opening a reader.
  private static func openUntouched(_ path: String) throws -> Connection {
    do {
      return try Connection(path: path, access: .readOnlyUntouched)
    } catch  where error.isIndexUnfinished {
      try Connection(path: path, access: .readOnly).close()
      return try Connection(path: path, access: .readOnlyUntouched)
    }
  }

  /// Returns the number of schema steps; a store is renamed into place complete, so an empty database is damaged.
  private static func checkMade(_ db: Connection, _ path: String) throws -> Int {
    let found = try StoreSchema.migrator.check(db)
    guard found > 0 else {
      throw KeepsakeError(
        .damaged,
        "The store at '\(path)' is damaged: its database is empty. Nothing was changed; restore a backup.",
        object: path)
    }
    return found
  }
}
