#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// What a store runs on, and what waits in it to be done.
public struct StoreHealth: Sendable, Hashable, Codable {
  public let store: UUID
  /// The version of the schema.
  public let schema: Int
  /// The version of the SQLite library that this process runs with.
  public let sqliteVersion: String
  /// Whether another program that writes to the store's database with that library could damage it. Keepsake does not: it
  /// never checkpoints beside a commit.
  public let hasWALResetBug: Bool
  public let databaseBytes: Int64
  /// What is free inside of the database; new entries use it, and ``Store/compact(progress:)`` gives it back.
  public let freeBytes: Int64
  /// Whether so much is free that giving it back is worth the while: a quarter of the database, and 16 MiB.
  public var isWorthCompacting: Bool {
    DatabaseSpace.isWorthwhile(all: databaseBytes, free: freeBytes)
  }
  /// What is kept to have room for removing things when the disk is full; 0 in a small store.
  public let reserveBytes: Int64
  /// Files and folders that processes which ended left in the store and beside it; ``Store/sweep(olderThan:givingUp:)`` removes
  /// them, and mostly the next opening for writing does.
  public let leftovers: Int
  public let leftoverBytes: Int64
  /// How many entries are not in the search index yet; they are found all the same, more slowly.
  public let waitingForSearch: Int

  static func databaseBytes(in db: Connection) throws -> Int64 {
    (try db.integer("PRAGMA page_count") ?? 0) * (try db.integer("PRAGMA page_size") ?? 0)
  }
}

extension Store {
  /// What the store runs on, and what waits in it. It does not check that what was kept is as it was: see `verify`.
  @concurrent
  public func health() async throws -> StoreHealth {
    let id = id
    let layout = core.layout
    let (reserve, leftovers): (Int64, Abandoned)
    do {
      reserve = try Reserve(in: layout).kept
      leftovers = try Leftovers(layout: layout).found()
    } catch { throw KeepsakeError.wrap(error, store: layout.path) }
    return try core.read { db in
      StoreHealth(
        store: id, schema: Int(try db.integer("PRAGMA user_version") ?? 0),
        sqliteVersion: Connection.libraryVersion, hasWALResetBug: Connection.hasWALResetBug,
        databaseBytes: try StoreHealth.databaseBytes(in: db),
        freeBytes: (try db.integer("PRAGMA freelist_count") ?? 0)
          * (try db.integer("PRAGMA page_size") ?? 0),
        reserveBytes: reserve, leftovers: leftovers.count, leftoverBytes: leftovers.bytes,
        waitingForSearch: try SearchIndex.waitingEntries(in: db))
    }
  }
}
