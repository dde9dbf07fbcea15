import KeepsakeFiles

/// The upkeep of an open store's folder: a little at opening and closing, and the rest while the store is idle.
final class Upkeep: Sendable {
  private let layout: StoreLayout
  private let leftovers: Leftovers
  let reserve: Reserve
  /// The leftovers that were removed, until a sweep reports them.
  private let removed = Locked(Abandoned())
  /// Tells whether this process has removed everything that dead processes left behind.
  private let isCleared = Locked(false)

  init(_ layout: StoreLayout) {
    self.layout = layout
    leftovers = Leftovers(layout: layout)
    reserve = Reserve(in: layout)
  }

  /// Removes a few of the files that dead processes left in the store, which usually costs a look into an empty folder.
  func open() { _ = count { try leftovers.removeIncoming(atMost: Leftovers.namesAtOpening) } }

  /// Returns the leftovers that were removed since the last call.
  func takeRemoved() -> Abandoned {
    removed.withLock { removed in
      defer { removed = Abandoned() }
      return removed
    }
  }

  /// Counts removed files, and returns whether more are left. Files that can't be removed stay, and `keepsake doctor` lists
  /// them.
  private func count(_ remove: () throws -> Abandoned) -> Bool {
    guard let gone = try? remove() else { return false }
    removed.withLock {
      $0.count += gone.count
      $0.bytes += gone.bytes
    }
    return gone.hasMore
  }

  /// Does one piece of the idle work, under the writers' lock, and returns whether there is more.
  func step(_ db: Tables) throws -> Bool {
    if !isCleared.withLock({ $0 }) {
      if clear() { return true }
      isCleared.withLock { $0 = true }
    }
    try db.files.recheckSchema()
    do { if try Reserve.isWorthwhile(in: db) { try reserve.keep() } } catch is FileError {
      // A store works without a reserve as well, until its disk is full.
    }
    try DatabaseSpace.giveBack(in: db, folder: layout.folder)
    return false
  }

  /// Removes a bounded number of files that dead processes left, and returns whether there are more.
  private func clear() -> Bool {
    _ = count { try leftovers.removeIncoming() }
    return count { try leftovers.removeBesides(atMost: Leftovers.filesAtATime) }
  }

  /// Makes the reserve at closing if the store was never idle; in small stores this costs a look at the database's size.
  func close(havingKeptFiles: Bool, _ read: ((Tables) throws -> Bool) throws -> Bool) {
    do {
      // allow(database-file): asks for its size and opens nothing.
      let size = try layout.folder.status(StoreLayout.database)?.size ?? 0
      guard size >= Reserve.leastStore || havingKeptFiles, try reserve.kept != Reserve.size,
        try read(Reserve.isWorthwhile)
      else { return }
      try reserve.keep()
    } catch {
      // A store works without a reserve as well, until its disk is full.
    }
  }
}
