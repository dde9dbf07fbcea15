#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

extension StoreHandle {
  /// Runs the body while no backup, export or copying to the cache runs; returns nil if one still runs after a wait.
  ///
  /// The wait holds no thread. To avoid a deadlock, this lock is always taken before the writers' lock.
  func sweeping<Result: Sendable>(
    patience: Duration, _ body: () async throws -> Result
  ) async throws -> Result? {
    let lock = try await lock(layout.sweepLockPath, .exclusive, patience: patience)
    guard let lock else { return nil }
    do { return try await lock.holding(body) } catch {
      throw KeepsakeError.wrap(error, store: layout.path)
    }
  }
}

extension StoreHandle {
  /// Runs the body while no file of an artifact can be swept away or erased; any number of bodies at the same time.
  func withoutSweeps<Result>(_ body: () async throws -> Result) async throws -> Result {
    try requireOpen()
    guard let lock = try await sharedSweepLock() else { return try await body() }
    return try await lock.holding(body)
  }

  /// Takes the lock for sharing; nil if there is no lock, because the store is on read-only media and was never swept.
  private func sharedSweepLock() async throws -> FileLock? {
    do {
      if !database.isWritable, try !layout.folder.exists(StoreLayout.sweepLock) { return nil }
    } catch { throw KeepsakeError.wrap(error, store: layout.path) }
    return try await lock(
      layout.sweepLockPath, .shared,
      orSay:
        "Gave up waiting to read the artifacts of the store at '\(layout.path)': a sweep is under way. Try again when it is done."
    )
  }
}

extension Store {
  /// Runs the body while no file of an artifact can be swept away or erased.
  package func withoutSweeps<Result>(_ body: () async throws -> Result) async throws -> Result {
    try await handle.withoutSweeps(body)
  }
}

extension Session {
  /// Runs the body while no file of an artifact can be swept away or erased.
  package func withoutSweeps<Result>(_ body: () async throws -> Result) async throws -> Result {
    try await handle.withoutSweeps(body)
  }
}
