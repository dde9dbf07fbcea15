#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Store {
  /// Takes over what changed at the hub, and tells the hub what changed here.
  ///
  /// Other programs may write to the store meanwhile. A mirror is synced by one program at a time, so this waits for a sync of another
  /// program. What is done stays done when
  /// the task is cancelled or the connection ends; the next sync goes on from there.
  /// - Parameters:
  ///   - address: The place of the hub, where it has another address than the one that the store knows; nil for that one.
  ///   - progress: A closure that gets what has been done so far.
  /// - Returns: What was done, and what could not be.
  /// - Throws: A ``KeepsakeError``: the store has joined no hub, the hub can't be reached, or another hub is at the address; `locked` if
  ///   another program syncs the store for longer than the store has patience.
  @concurrent @discardableResult
  public func sync(
    with address: HubAddress? = nil, progress: (@Sendable (SyncReport) -> Void)? = nil
  ) async throws -> SyncReport {
    let joined = try joinedForSyncing()
    if let sharing = handle.store.sharing { return try await sharing.catchUp(progress: progress) }
    return try await Self.using(try address ?? HubAddress(joined.address), joined.opening) {
      try await sync(through: $0, progress: progress)
    }
  }

  /// Keeps the store in step with its hub until the task is cancelled.
  ///
  /// The hub stays open between the syncs. A change in this store reaches the hub within a second, and a change in another store is taken
  /// over after the pause at the latest. While the hub can't be reached, or another program keeps the store locked, the store goes
  /// on trying.
  /// - Parameters:
  ///   - address: The place of the hub, where it has another address than the one that the store knows; nil for that one.
  ///   - pause: The longest time between two syncs.
  ///   - told: A closure that gets what each sync has done, or the error of one that is tried again. An error that it throws ends the
  ///     syncing.
  ///   - progress: A closure that gets what has been done so far in one sync.
  /// - Throws: `CancellationError` once the task is cancelled, or a ``KeepsakeError`` that does not pass by waiting: the store has left
  ///   the hub, or another hub is at the address.
  @concurrent
  public func keepInStep(
    with address: HubAddress? = nil, every pause: Duration = .seconds(5),
    telling told: @Sendable (Result<SyncReport, KeepsakeError>) async throws -> Void = { _ in },
    progress: (@Sendable (SyncReport) -> Void)? = nil
  ) async throws {
    var hub: (any Hub)?
    do {
      while true {
        try Task.checkCancellation()
        // The events are requested before the sync, so that a change during the sync ends the next pause.
        let changes = events
        do {
          let report = try await syncAgain(through: &hub, at: address, progress: progress)
          try await told(.success(report))
        } catch let error as KeepsakeError where error.cause as? HubFault == .unreachable {
          await hub?.close()
          hub = nil
          try await told(.failure(error))
        } catch let error as KeepsakeError where error.code == .locked {
          try await told(.failure(error))
        }
        try await rest(pause, until: changes)
      }
    } catch {
      await hub?.close()
      throw error
    }
  }

  /// Syncs through an open hub. The hub is opened first if it is not open, or if the store has joined another hub.
  private func syncAgain(
    through hub: inout (any Hub)?, at address: HubAddress?,
    progress: (@Sendable (SyncReport) -> Void)?
  ) async throws -> SyncReport {
    let joined = try joinedForSyncing()
    if let sharing = handle.store.sharing { return try await sharing.catchUp(progress: progress) }
    if let open = hub, open.identity.id == joined.hub {
      return try await sync(through: open, progress: progress)
    }
    await hub?.close()
    hub = nil
    let new = try await (try address ?? HubAddress(joined.address)).open(joined.opening)
    hub = new
    return try await sync(through: new, progress: progress)
  }

  private func sync(
    through hub: any Hub, progress: (@Sendable (SyncReport) -> Void)?
  ) async throws -> SyncReport {
    try await handle.syncing {
      var sync = Sync(store: self, hub: hub, progress: progress)
      do { try await sync.run() } catch {
        try? await sync.keepPeer()
        throw error
      }
      return sync.report
    }
  }

  private func joinedForSyncing() throws -> JoinedTable.Row {
    try handle.requireWriter()
    guard let joined = try handle.read({ try $0.joined.row() }) else {
      throw KeepsakeError.notJoined(handle.layout.path)
    }
    try handle.requireHub()
    return joined
  }

  /// The time for which a sync waits after a change, so that changes that follow closely go to the hub together.
  private static let gathering = Duration.milliseconds(300)

  /// Waits until a pause is over, or until this store has a change that the hub has not got.
  private func rest(_ pause: Duration, until changes: StoreEvents) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await Task.sleep(for: pause) }
      group.addTask {
        for await _ in changes where try self.handle.read({ try Self.waiting(in: $0) }) > 0 {
          return try await Task.sleep(for: Self.gathering)
        }
        // The events end when the store is closed, which the next sync reports, or when the pause is over.
        try await Task.sleep(for: pause)
      }
      try await group.next()
      group.cancelAll()
    }
  }
}

extension JoinedTable.Row {
  /// The wishes for opening the hub that the store joined.
  var opening: HubAddress.Opening {
    HubAddress.Opening(id: hub, peer: HubPeer(id: peer, next: next))
  }
}
