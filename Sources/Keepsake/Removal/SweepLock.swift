#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Files

extension StoreCore {
  /// Runs the body while no backup, export or materialising is under way; nil where one is, after waiting so long.
  ///
  /// It waits without holding a thread, and is let go of before the writers' lock is waited for by anybody who holds
  /// that: the order is this one first, then the writers'.
  func sweeping<Result: Sendable>(
    patience: Duration, _ body: () async throws -> Result
  ) async throws -> Result? {
    do {
      let lock = try FileLock(path: layout.sweepLockPath)
      let deadline = Instant.now.advanced(by: patience)
      while try !lock.tryLock(.exclusive) {
        guard Instant.now < deadline else { return nil }
        try await Task.sleep(for: .milliseconds(10))
      }
      do {
        let result = try await body()
        try lock.unlock()
        return result
      } catch {
        try lock.unlock()
        throw error
      }
    } catch { throw KeepsakeError.wrap(error, store: layout.path) }
  }
}
