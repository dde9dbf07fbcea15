import KeepsakeFiles

extension StoreHandle {
  /// Runs the body while nobody else syncs the store, in this program or in another one.
  ///
  /// A sync decides by what it has read of the store and of the hub, in many transactions. Others may write to the store meanwhile,
  /// whose changes the store notes as not sent. What another sync does would go unnoticed.
  func syncing<Result>(_ body: () async throws -> Result) async throws -> Result {
    try await syncLock().holding(body)
  }

  private func syncLock() async throws -> FileLock {
    do {
      let lock = try FileLock(path: layout.syncLockPath)
      guard try await lock.take(.exclusive, within: options.patience) else {
        throw KeepsakeError(
          .locked,
          "Gave up waiting to sync the store at '\(layout.path)': another program is syncing it. Sync again when that is done.",
          object: layout.path)
      }
      return lock
    } catch { throw KeepsakeError.wrap(error, store: layout.path) }
  }
}
