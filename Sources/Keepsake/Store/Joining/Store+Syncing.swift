#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Store {
  /// Takes over what changed at the hub, and tells the hub what changed here.
  ///
  /// Other programs may write to the store meanwhile, and sync it, too. What is done stays done when the task is cancelled or
  /// the connection ends; the next sync goes on from there.
  /// - Parameters:
  ///   - address: The place of the hub, where it has another address than the one that the store knows; nil for that one.
  ///   - progress: A closure that gets what has been done so far.
  /// - Returns: What was done, and what could not be.
  /// - Throws: A ``KeepsakeError``: the store has joined no hub, the hub can't be reached, or another hub is at the address.
  @concurrent @discardableResult
  public func sync(
    with address: HubAddress? = nil, progress: (@Sendable (SyncReport) -> Void)? = nil
  ) async throws -> SyncReport {
    try handle.requireWriter()
    guard let joined = try handle.read({ try $0.joined.row() }) else {
      throw KeepsakeError.notJoined(handle.layout.path)
    }
    if let sharing = handle.store.sharing { return try await sharing.catchUp(progress: progress) }
    try handle.requireHub()
    let address = try address ?? HubAddress(joined.address)
    let hub = try await address.open(
      .init(id: joined.hub, peer: HubPeer(id: joined.peer, next: joined.next)))
    var sync = Sync(store: self, hub: hub, progress: progress)
    do {
      try await sync.run()
      await hub.close()
    } catch {
      try? await sync.keepPeer()
      await hub.close()
      throw error
    }
    return sync.report
  }
}
