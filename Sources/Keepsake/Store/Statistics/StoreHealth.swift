#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeepsakeFiles

/// The versions and sizes of a store, and the work that waits in it.
public struct StoreHealth: Sendable, Hashable, Codable {
  /// The id of the store.
  public let store: UUID
  /// The version of the schema.
  public let schema: Int
  /// The version of the SQLite library that this process runs with.
  public let sqliteVersion: String
  /// Tells whether another program that writes to the database with this library could damage it.
  ///
  /// Keepsake itself is safe, because it never runs a checkpoint beside a commit.
  public let hasWALResetBug: Bool
  /// The size of the database in bytes.
  public let databaseBytes: Int64
  /// The free bytes inside of the database, which new entries use; ``Store/compact(progress:)`` gives them back to the disk.
  public let freeBytes: Int64
  /// Tells whether enough is free to be worth compacting: a quarter of the database, and at least 16 MiB.
  public var isWorthCompacting: Bool {
    DatabaseSpace.isWorthwhile(all: databaseBytes, free: freeBytes)
  }
  /// The bytes that are kept on the disk for deletions when the disk is full; 0 in a small store.
  public let reserveBytes: Int64
  /// The number of files and folders that ended processes left in the store and beside it.
  ///
  /// The next opening for writing removes most of them, and ``Store/sweep(olderThan:givingUp:)`` removes all.
  public let leftovers: Int
  /// The size of these leftovers in bytes.
  public let leftoverBytes: Int64
  /// The number of entries that are not in the search index yet; a search finds them as well, more slowly.
  public let waitingForSearch: Int
}

extension Store {
  /// Returns versions, sizes and waiting work, without checking the content; for a check see ``verify(_:progress:)``.
  ///
  /// - Returns: The state of the store.
  /// - Throws: A ``KeepsakeError`` if the store can't be read.
  @concurrent
  public func health() async throws -> StoreHealth {
    let id = id
    let layout = handle.layout
    let (reserve, leftovers): (Int64, Abandoned)
    do {
      reserve = try Reserve(in: layout).kept
      leftovers = try Leftovers(layout: layout).found()
    } catch { throw KeepsakeError.wrap(error, store: layout.path) }
    return try handle.read { db in
      StoreHealth(
        store: id, schema: try db.files.schemaVersion(), sqliteVersion: FileTable.libraryVersion,
        hasWALResetBug: FileTable.hasWALResetBug, databaseBytes: try db.files.databaseBytes(),
        freeBytes: try db.files.freeBytes(),
        reserveBytes: reserve, leftovers: leftovers.count, leftoverBytes: leftovers.bytes,
        waitingForSearch: try SearchIndex.waitingEntries(in: db))
    }
  }
}
