#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Finds, makes and opens the folder of a store.
enum StoreOpening {
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
      try Database.make(
        at: new.layout.databasePath, store: UUID(), created: options.now().microseconds)
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

  static func open(_ layout: StoreLayout, options: Store.Options) throws -> OpenStore {
    options.access == .readOnly
      ? try openForReading(layout, options: options) : try openForWriting(layout, options: options)
  }

  private static func openForWriting(_ layout: StoreLayout, options: Store.Options) throws
    -> OpenStore
  {
    try refuseForeignRoot(layout)
    try syncName(of: layout)
    let observers = Observers()
    let upkeep = Upkeep(layout)
    let clearing = ClearingWork(layout)
    var duties = Database.Duties(
      patience: options.patience, look: { observers.look(in: $0) },
      release: upkeep.reserve.releaseIfKept, renew: upkeep.reserve.renew,
      tracksChanges: options.tracksChanges)
    if let delay = options.searchDelay {
      // If indexing fails, searches read the waiting entries, and the next write starts another attempt.
      duties.idle = .init(
        delay: delay,
        step: {
          try clearing.step(in: Change($0, now: options.now))
            || SearchIndex.indexBatch(in: $0.tables)
        },
        isPressing: { try SearchIndex.presses(in: $0) },
        last: {
          try clearing.cutLog(in: $0)
          return try upkeep.step($0)
        })
    }
    let database = try Database.openForWriting(layout, duties)
    let store = OpenStore(
      layout: layout, id: try identifier(layout, database), options: options, database: database,
      observers: observers, upkeep: upkeep, clearing: clearing)
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

  private static func openForReading(_ layout: StoreLayout, options: Store.Options) throws
    -> OpenStore
  {
    let database = try Database.openForReading(layout)
    return OpenStore(
      layout: layout, id: try identifier(layout, database), options: options, database: database,
      observers: Observers())
  }

  private static func identifier(_ layout: StoreLayout, _ database: Database) throws -> UUID {
    guard let id = try database.read({ try $0.files.storeID() }).flatMap(UUID.init(bytes:)) else {
      throw KeepsakeError(
        .damaged, "The store at '\(layout.path)' has lost its identifier.", remedy: .verify,
        object: layout.path)
    }
    return id
  }
}
