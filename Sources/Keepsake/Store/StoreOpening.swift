#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeMigrations
import KeepsakeSQLite

/// Finds, makes and opens the folder of a store.
enum StoreOpening {
  /// The application id in the header of every store's database, which spells `Keep`.
  static let applicationID: Int32 = 0x4B65_6570

  static let migrator = Migrator(
    Migrations.all.map { Migration(name: $0.name, sql: $0.sql) }, applicationID: applicationID)

  /// Opens the folder of a store, and makes a complete store there if the options allow it and nothing is there.
  static func folder(path: String, options: Store.Options) throws -> StoreLayout {
    do {
      let folder = try Directory(path: path)
      if let database = try folder.status(StoreLayout.database) {
        // Under two names, SQLite would keep two logs of one database.
        guard database.isRegular, database.links == 1 else {
          throw KeepsakeError(
            .refused,
            "Can't open the store at '\(path)': its database is a link, or a file with a second name. Copy it to a file of its own.",
            object: path)
        }
        return StoreLayout(path: path, folder: folder)
      }
      guard try folder.names().isEmpty, options.access == .readWrite else {
        throw KeepsakeError.notAStore(path)
      }
    } catch let error as FileError where error.code == .notFound {
      guard options.access == .readWrite else {
        throw KeepsakeError(
          .notFound,
          "There is no store at '\(path)'.", remedy: .makeStore, object: path)
      }
    } catch let error as FileError where error.code == .notDirectory || error.code == .notRegular {
      throw KeepsakeError.notAStore(path)
    }
    try make(path: path, options: options)
    return StoreLayout(path: path, folder: try Directory(path: path))
  }

  private static func make(path: String, options: Store.Options) throws {
    let new = try NewStoreFolder(path: path, options: options)
    do {
      try fill(new.layout, options: options)
      try new.finish()
    } catch let error as FileError where error.code == .notEmpty || error.code == .exists {
      // Another process made a store meanwhile, which is used.
      try new.remove()
    } catch {
      // The first error is the one to report.
      try? new.remove()
      throw error
    }
  }

  private static func fill(_ layout: StoreLayout, options: Store.Options) throws {
    let db = try Connection(path: layout.databasePath, access: .create)
    defer { db.close() }
    try migrator.migrate(db)
    let insert = try db.prepare("INSERT INTO store (id, created) VALUES (?, ?)")
    insert.bind(UUID().bytes)
    insert.bind(options.now().microseconds)
    try insert.run()
    _ = try db.checkpoint(.truncate)
  }

  static func open(_ layout: StoreLayout, options: Store.Options) throws -> OpenStore {
    options.access == .readOnly
      ? try openForReading(layout, options: options) : try openForWriting(layout, options: options)
  }

  private static func openForWriting(_ layout: StoreLayout, options: Store.Options) throws
    -> OpenStore
  {
    let path = layout.databasePath
    try refuseForeignRoot(layout)
    try syncName(of: layout)
    let files = try DatabaseFiles(layout)
    let lock = try migrate(layout, options: options)
    let hub = Hub()
    var configuration = Writer.Configuration(lock: lock) { db in
      try migrator.recheck(db)
      hub.look(in: Tables(db))
    }
    configuration.requireInPlace = { try files.requireInPlace() }
    configuration.patience = options.patience
    let upkeep = Upkeep(layout)
    configuration.reserve = upkeep.reserve.forWriter
    let clearing = ClearingWork(layout)
    if let delay = options.searchDelay {
      // If indexing fails, searches read the waiting entries, and the next write starts another attempt.
      configuration.idle = Writer.IdleWork(after: delay) {
        try clearing.step(in: Change($0, now: options.now))
          || SearchIndex.indexBatch(in: Tables($0.db))
      }
      configuration.idle?.isPressing = { try SearchIndex.presses(in: Tables($0)) }
      configuration.idle?.last = {
        try clearing.cutLog(in: Tables($0))
        return try upkeep.step($0)
      }
    }
    let writer = try Writer(name: "keepsake-writer", configuration: configuration) {
      let db = try Connection(path: path, access: .readWrite)
      try files.rememberLog()
      return db
    }
    let readers = readers { try Connection(path: path, access: .readOnly) }
    let store = OpenStore(
      layout: layout, id: try identifier(layout, readers), options: options, readers: readers,
      writer: writer, hub: hub, upkeep: upkeep, clearing: clearing)
    upkeep.open()
    return store
  }

  /// Keeps a forgotten `sudo` from making files as root that the store's owner could not open.
  private static func refuseForeignRoot(_ layout: StoreLayout) throws {
    let owner = try layout.folder.status().owner
    guard owner != 0, SystemUser.isRoot else { return }
    throw KeepsakeError(
      .permissionDenied,
      "Can't write to the store at '\(layout.path)' as root: it belongs to the user with number \(owner), who could not open what root makes in it. Run this as that user, or open the store for reading.",
      object: layout.path)
  }

  /// Syncs the folder above the store, because the process that made the store may have ended before it did.
  private static func syncName(of layout: StoreLayout) throws {
    do {
      // The parent of the path itself would be wrong if the path is a link.
      try Directory(path: layout.folder.path + "/..").sync()
    } catch let error where error.code == .permissionDenied {
      // A process that may not open the folder cannot have made the store in it.
    }
  }

  /// Brings an older store up to date under the lock that it returns; processes that do so at the same time take turns.
  private static func migrate(_ layout: StoreLayout, options: Store.Options) throws -> FairLock {
    let found = try inspect(layout)
    // The lock is made only now, because nothing must be made in a folder that is no store.
    let lock = try FileLock(path: layout.lockPath)
    let fair = try FairLock(lock, queue: layout.queuePath)
    if found == migrator.latest { return fair }
    guard try lock.lock(until: .now.advanced(by: options.patience)) else {
      throw WriterError.lockTimeout(holder: lock.blocker)
    }
    let db = try Connection(path: layout.databasePath, access: .readWrite)
    defer { db.close() }
    try migrator.migrate(db)
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
    let found = try migrator.check(db)
    guard found > 0 else {
      throw KeepsakeError(
        .damaged,
        "The store at '\(path)' is damaged: its database is empty. Nothing was changed; restore a backup.",
        object: path)
    }
    return found
  }

  /// Opens a store for reading without changing a byte: beside a writer, with a log of a crash, or on read-only media.
  private static func openForReading(_ layout: StoreLayout, options: Store.Options) throws
    -> OpenStore
  {
    let path = layout.databasePath
    let found = try inspect(layout)
    guard found == migrator.latest else {
      throw KeepsakeError(
        .readOnly,
        "The store at '\(layout.path)' is of an older version (schema \(found); this build reads \(migrator.latest)). Open it once for writing to bring it up to date.",
        object: layout.path)
    }
    let readers = readers { try openUntouched(path) }
    return OpenStore(
      layout: layout, id: try identifier(layout, readers), options: options, readers: readers,
      writer: nil, hub: Hub())
  }

  private static func readers(_ opening: @escaping @Sendable () throws -> Connection) -> ReaderPool
  {
    ReaderPool(limit: max(4, ProcessInfo.processInfo.activeProcessorCount), opening: opening)
  }

  private static func identifier(_ layout: StoreLayout, _ readers: ReaderPool) throws -> UUID {
    try readers.read { db in
      let find = try db.prepare("SELECT id FROM store")
      guard try find.step(), let id = UUID(bytes: find.bytes()) else {
        throw KeepsakeError(
          .damaged, "The store at '\(layout.path)' has lost its identifier.", remedy: .verify,
          object: layout.path)
      }
      return id
    }
  }
}
