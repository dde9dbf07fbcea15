#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// Does what is left to be cleared up while nobody writes: after the store was opened, and after each spell of writing.
///
/// A process that opens the store for a moment does none of it. See ``Clearing``.
final class ClearingWork: Sendable {
  private struct State {
    /// Whether it was looked whose imports and restorings did not come to their end.
    var hasLooked = false
    /// An error ended it, until the store is opened again: so that it keeps nobody from indexing.
    var hasFailed = false
  }

  private let layout: StoreLayout
  /// The most rows that a step removes.
  private let rows: Int
  private let now: @Sendable () -> Date
  private let state = Locked(State())
  /// How many removals of this process are under way.
  private let removals = Locked(0)

  init(
    _ layout: StoreLayout, rows: Int = RemovalStep.limit, now: @escaping @Sendable () -> Date
  ) {
    self.layout = layout
    self.rows = rows
    self.now = now
  }

  /// Leaves the rows to whoever removes some now, until that is done: what was removed is counted there.
  func leavingRows<Result>(_ removal: () async throws -> Result) async rethrows -> Result {
    removals.withLock { $0 += 1 }
    defer { removals.withLock { $0 -= 1 } }
    return try await removal()
  }

  /// Does one piece; true when there may be more.
  func step(in transaction: Transaction) throws -> Bool {
    let (hasLooked, hasFailed) = state.withLock { ($0.hasLooked, $0.hasFailed) }
    guard !hasFailed else { return false }
    do {
      let change = Change(transaction, now: now)
      if !hasLooked {
        try giveUpDead(in: change)
        state.withLock { $0.hasLooked = true }
      }
      if removals.withLock({ $0 == 0 }), let target = try Clearing.next(in: change.db) {
        _ = try RemovalStep(target, limit: rows, in: change)
        return true
      }
      if try removeFiles(in: change.db) { return true }
      return try Trace.rewriteIndex(in: change.db)
    } catch {
      state.withLock { $0.hasFailed = true }
      throw error
    }
  }

  /// The last of it: cuts the log, if no reader is in the way; then the next spell of writing brings another try.
  func cutLog(in db: Connection) throws {
    guard try Trace.log.isMarked(in: db) else { return }
    _ = try Trace.cutLog(in: db)
  }

  private func giveUpDead(in change: Change) throws {
    let owners = try Clearing.owners(in: change.db)
    if owners.isEmpty { return }
    // Our own sign of life is locked for whoever asks by another object.
    let liveness = Liveness(layout)
    for owner in owners where try !liveness.isAlive(owner) {
      try Clearing.giveUp(owner, in: change)
    }
  }

  /// Removes some files; false when none is left, or while a backup or an export is under way.
  private func removeFiles(in db: Connection) throws -> Bool {
    let digests = try Clearing.removedArtifacts(atMost: 256, in: db)
    if digests.isEmpty { return false }
    let lock = try FileLock(path: layout.sweepLockPath)
    // It is not waited for, because whoever has it may wait for the writers' lock, which is ours now.
    guard try lock.tryLock(.exclusive) else { return false }
    defer { try? lock.unlock() }
    _ = try layout.removeUnnamed(digests, in: db)
    try Clearing.forget(digests, in: db)
    return true
  }
}
