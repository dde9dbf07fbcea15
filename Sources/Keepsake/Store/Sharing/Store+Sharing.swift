#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Stores that are opened together with the hub that they joined.
extension Store {
  /// Opens the store in a folder together with a hub, and joins the hub first if the store has not joined it yet.
  ///
  /// A store that *shares* keeps in its folder what it has seen of the hub's sessions, and losing the folder loses nothing: a
  /// change is made when the hub has it, and an error says that it was not made, or that nobody knows. ``session(_:)`` asks the hub
  /// for the session, wherever it was written. Lists and audits first take over the sessions that they need, or everything if the hub
  /// keeps no lists. A handle that is kept shows what this folder saw last; ``Session/refresh()`` takes over what is new, and so does
  /// observing the session. Drafts stay in the folder until they end. Searching, importing and restoring are refused.
  ///
  /// A store that *mirrors* has all that the hub has, and works without it. See ``join(_:named:)`` and
  /// ``keepInStep(with:every:telling:progress:)``.
  /// - Parameters:
  ///   - url: The store's folder, as a file URL. It is made if nothing is there and the options allow it.
  ///   - address: The place of the hub.
  ///   - way: The way in which the store is joined. A store that mirrors becomes one that shares once the hub has all of it.
  ///   - options: The options for opening the store.
  /// - Throws: A ``KeepsakeError`` that says why the store can't be opened, or the hub can't be reached.
  @concurrent
  public convenience init(
    at url: URL, joining address: HubAddress, as way: HubMembership.Way,
    options: Options = Options()
  ) async throws {
    try self.init(path: FilePlace.path(of: url), options: options)
    do {
      switch way {
      case .mirror:
        if try sharedHub() != nil {
          throw KeepsakeError.notShared("Mirroring the hub", handle.layout.path)
        }
        try await join(address)
      case .shared: try await share(address)
      }
    } catch {
      await close()
      throw error
    }
    await handle.endInterrupted()
  }

  /// The error of the last look at the hub for observers of the store; nil if that look succeeded, or nobody observes the store.
  package var hubFailure: KeepsakeError? { handle.observers.hubFailure }

  /// The address of the hub whose sessions the store shares; nil for any other store.
  package func sharedHub() throws -> String? {
    try handle.read { db in try db.joined.row().flatMap { $0.isShared ? $0.address : nil } }
  }

  /// Shares the sessions of the hub at an address from now on, which all handles of the store do then.
  @concurrent
  package func share(_ address: HubAddress) async throws {
    try handle.requireWriter()
    var joined = try handle.read { try $0.joined.row() }
    if handle.store.sharing != nil, let joined, joined.address == address.description { return }
    let hub = try await address.open(
      .init(
        id: joined?.hub,
        peer: joined.map { HubPeer(id: $0.peer, next: $0.next) } ?? HubPeer()))
    do {
      joined = try await join(hub, at: address)
      if joined?.isShared == false { try await giveAll(to: hub) }
      let writer = SharedWriter(
        hub: hub, handle: StoreHandle(handle.store, options: handle.options))
      try await writer.begin()
      // Another handle of the store may have been faster.
      if handle.store.share(through: writer) !== writer { await hub.close() }
    } catch {
      await hub.close()
      throw error
    }
  }

  /// Tells the hub all that the store has, and makes the folder a cache of what the hub has.
  private func giveAll(to hub: any Hub) async throws {
    let path = handle.layout.path
    for _ in 0..<Sync.rounds {
      if try handle.read({ try Self.waiting(in: $0) }) > 0 {
        try await handle.syncing {
          var sync = Sync(store: self, hub: hub)
          try await sync.run()
        }
      }
      let isShared = try await handle.write { change in
        guard try Self.waiting(in: change.db) == 0 else { return false }
        try change.db.joined.share()
        return true
      }
      if isShared { return }
    }
    throw KeepsakeError(
      .conflict,
      "The store at '\(path)' has changes that the hub at '\(hub.identity.address)' has not got, so it can't become a cache of what the hub has. Sync it as a mirror first.",
      object: path)
  }
}

extension Session {
  /// Takes over what is new of the session at the hub, in a store that shares the hub's sessions; in any other store this does
  /// nothing.
  ///
  /// - Throws: A ``KeepsakeError`` if the hub can't be reached.
  @concurrent
  public func refresh() async throws { try await handle.refresh(id) }
}
