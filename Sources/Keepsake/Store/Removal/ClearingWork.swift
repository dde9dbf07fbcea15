#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Clears up while nobody writes: after the store was opened, and after each time that somebody wrote.
///
/// A process that opens the store for a moment does none of this. See ``Clearing``.
final class ClearingWork: Sendable {
  private struct State {
    /// Tells whether the unfinished imports and restorings were looked for.
    var hasLooked = false
    /// Tells whether an error ended the clearing until the store is opened again, so that it does not keep others from
    /// indexing.
    var hasFailed = false
  }

  private let layout: StoreLayout
  /// The greatest number of rows that a step removes.
  private let rows: Int
  private let state = Locked(State())
  /// The number of removals of this process that run now.
  private let removals = Locked(0)

  init(_ layout: StoreLayout, rows: Int = RemovalStep.limit) {
    self.layout = layout
    self.rows = rows
  }

  /// Leaves all rows to a removal while it runs, because the removal counts what was removed.
  func leavingRows<Result>(_ removal: () async throws -> Result) async rethrows -> Result {
    removals.withLock { $0 += 1 }
    defer { removals.withLock { $0 -= 1 } }
    return try await removal()
  }

  /// Clears up one piece; returns whether there may be more.
  func step(in change: Change) throws -> Bool {
    let (hasLooked, hasFailed) = state.withLock { ($0.hasLooked, $0.hasFailed) }
    guard !hasFailed else { return false }
    do {
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

  /// Cuts the log as the last piece. If a reader is in the way, this is tried again after somebody writes.
  func cutLog(in db: Tables) throws {
    guard try Trace.log.isMarked(in: db) else { return }
    _ = try Trace.cutLog(in: db)
  }

  private func giveUpDead(in change: Change) throws {
    let owners = try change.db.clearing.owners()
    if owners.isEmpty { return }
    // Our own sign of life is locked for whoever asks by another object.
    let liveness = Liveness(layout)
    for owner in owners where try !liveness.isAlive(owner) {
      try Clearing.giveUp(owner, in: change)
    }
  }

  /// Removes some files; returns false if none is left, or while a backup or an export runs.
  private func removeFiles(in db: Tables) throws -> Bool {
    let digests = try db.clearing.removedArtifacts(atMost: 256)
    if digests.isEmpty { return false }
    let lock = try FileLock(path: layout.sweepLockPath)
    // It is not waited for, because whoever has it may wait for the writers' lock, which is ours now.
    guard try lock.tryLock(.exclusive) else { return false }
    defer { try? lock.unlock() }
    _ = try layout.removeUnnamed(digests, in: db)
    try db.clearing.forget(digests)
    return true
  }
}
