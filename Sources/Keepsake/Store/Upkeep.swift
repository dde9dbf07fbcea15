import KeepsakeFiles
import KeepsakeSQLite

/// What an open store does for its folder: a little when it is opened and closed, the rest when nobody wants anything.
final class Upkeep: Sendable {
  private let layout: StoreLayout
  private let leftovers: Leftovers
  let reserve: Reserve
  /// What of that is gone, until a sweep tells of it.
  private let removed = Locked(Abandoned())
  /// Whether this process has looked for all that others left behind.
  private let isCleared = Locked(false)

  init(_ layout: StoreLayout) {
    self.layout = layout
    leftovers = Leftovers(layout: layout)
    reserve = Reserve(in: layout)
  }

  /// Removes a few of the files that dead processes left in the store. Mostly there are none, and it costs a look into an
  /// empty folder.
  func open() { _ = count { try leftovers.removeIncoming(atMost: Leftovers.namesAtOpening) } }

  /// What was removed since this was last asked.
  func takeRemoved() -> Abandoned {
    removed.withLock { removed in
      defer { removed = Abandoned() }
      return removed
    }
  }

  /// Counts what is removed; true when there is more. What can't be removed stays, and `keepsake doctor` tells of it.
  private func count(_ remove: () throws -> Abandoned) -> Bool {
    guard let gone = try? remove() else { return false }
    removed.withLock {
      $0.count += gone.count
      $0.bytes += gone.bytes
    }
    return gone.hasMore
  }

  /// One piece of what is done when nobody wants anything, under the writers' lock; true when there is more.
  func step(_ db: Connection) throws -> Bool {
    if !isCleared.withLock({ $0 }) {
      if clear() { return true }
      isCleared.withLock { $0 = true }
    }
    try StoreOpening.migrator.recheck(db)
    do { if try Reserve.isWorthwhile(in: db) { try reserve.keep() } } catch is FileError {
      // Without one the store works as well, until its disk is full.
    }
    try DatabaseSpace.giveBack(in: db, folder: layout.folder)
    return false
  }

  /// Removes a bounded number of files that dead processes left; true when there is more.
  private func clear() -> Bool {
    _ = count { try leftovers.removeIncoming() }
    return count { try leftovers.removeBesides(atMost: Leftovers.filesAtATime) }
  }

  /// Keeps room for removing things, where the process was never idle; costs a look at the database's size in small stores.
  func close(havingKeptFiles: Bool, _ read: ((Connection) throws -> Bool) throws -> Bool) {
    do {
      // allow(database-file): asks for its size and opens nothing.
      let size = try layout.folder.status(StoreLayout.database)?.size ?? 0
      guard size >= Reserve.leastStore || havingKeptFiles, try reserve.kept != Reserve.size,
        try read(Reserve.isWorthwhile)
      else { return }
      try reserve.keep()
    } catch {
      // Without one the store works as well, until its disk is full.
    }
  }
}
