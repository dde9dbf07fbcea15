import KeepsakeFiles

extension StoreHandle {
  /// Runs the body while nobody else syncs the store, in this program or in another one.
  ///
  /// A sync decides by what it has read of the store and of the hub, in many transactions. If others write to the store meanwhile, their
  /// changes are noted as not sent. A second sync would take such notes away, and write what the first sync has not read.
  func syncing<Result>(_ body: () async throws -> Result) async throws -> Result {
    try await lock(
      layout.syncLockPath, .exclusive,
      orSay:
        "Gave up waiting to sync the store at '\(layout.path)': another program is syncing it. Sync again when that is done."
    ).holding(body)
  }
}
