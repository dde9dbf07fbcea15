#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeepsakeFiles

/// Joining a hub, so that several stores have the same conversations.
extension Store {
  /// Makes a hub at an address, or finds the one that is there, and proves that the place keeps to what hubs need.
  ///
  /// - Parameter address: The place of the hub.
  /// - Returns: The hub's id.
  /// - Throws: A ``KeepsakeError`` if the hub can't be made there.
  @concurrent @discardableResult
  public static func makeHub(at address: HubAddress) async throws -> UUID {
    try await using(address, .init(mayMake: true)) { $0.identity.id }
  }

  /// Joins the hub at an address, as one that mirrors all of it.
  ///
  /// What the store does stays as fast as it was, and works without the hub. ``sync(with:progress:)`` tells the hub what changed
  /// here, and takes over what changed elsewhere. The sessions that the store has already are told with the first sync.
  /// A store that joined the same hub before stays joined, at the new address.
  /// - Parameters:
  ///   - address: The place of the hub.
  ///   - name: The store's name at the hub, for people, such as "laptop"; nil for the name that it has, which is at first that of the
  ///     machine.
  /// - Returns: The membership.
  /// - Throws: A ``KeepsakeError``: the hub can't be reached, or the store is joined to another one.
  @concurrent @discardableResult
  public func join(_ address: HubAddress, named name: String? = nil) async throws -> HubMembership {
    try handle.requireWriter()
    try name.map(Self.requireName)
    let hub = try await address.open(.init())
    await hub.close()
    _ = try await join(hub, at: address, named: name)
    let path = handle.layout.path
    guard let membership = try await membership() else { throw KeepsakeError.notJoined(path) }
    return membership
  }

  /// Joins a hub that is open, as one that mirrors it. A store that joined it before stays joined as it is.
  func join(_ hub: any Hub, at address: HubAddress, named name: String? = nil) async throws
    -> JoinedTable.Row?
  {
    let identity = hub.identity
    let path = handle.layout.path
    return try await handle.write { change in
      if let known = try change.db.joined.row() {
        guard known.hub == identity.id else {
          throw KeepsakeError(
            .conflict,
            "The store at '\(path)' is joined to another hub, at '\(known.address)'. Leave that one first.",
            object: path)
        }
        try change.db.joined.update(address: address.description)
        if let name { try change.db.joined.update(name: name) }
        return known
      }
      let peer = hub.feedPeer ?? HubPeer()
      try change.db.unsent.clear()
      try change.db.joined.insert(
        .init(
          hub: identity.id, address: address.description, since: change.now(), peer: peer.id,
          next: peer.next, name: name))
      try change.db.hubSessions.insertAll()
      // Other requests in this transaction run after the joining, and their changes have to be listed.
      if try !change.db.unsent.hasBegun() { try change.db.unsent.begin() }
      return try change.db.joined.row()
    }
  }

  /// The most bytes of a store's name at a hub.
  private static let longestName = 200

  /// Throws where a text can't be a store's name at a hub.
  static func requireName(_ name: String) throws {
    guard name.isEmpty || name.utf8.count > longestName else { return }
    throw KeepsakeError(
      .invalid,
      "A store's name at a hub has 1 to \(longestName) bytes. This one has \(name.utf8.count).",
      object: name)
  }

  /// Leaves the hub. The store keeps all that it has, and the hub does, too.
  ///
  /// The store leaves without asking the hub, which goes on to list the store. ``forgetPeer(_:ofHubAt:)`` takes the store off that list.
  /// - Returns: The number of sessions with changes that the hub never got; 0 if the store was in step.
  @concurrent @discardableResult
  public func leave() async throws -> Int {
    let path = handle.layout.path
    await handle.store.endSharing()
    return try await handle.write { change in
      guard try change.db.joined.way() != nil else { throw KeepsakeError.notJoined(path) }
      let waiting = try Self.waiting(in: change.db)
      try change.db.joined.clear()
      try change.db.unsent.clear()
      return waiting
    }
  }

  /// Returns the hub that the store joined, and how far it is in step with it; nil if it joined none.
  @concurrent
  public func membership() async throws -> HubMembership? {
    try handle.read { db in
      guard let row = try db.joined.row() else { return nil }
      return HubMembership(
        hub: row.hub, address: row.address, peer: row.peer, name: row.name ?? PeerNote.machine,
        way: row.isShared ? .shared : .mirror,
        since: Date(microseconds: row.since),
        synced: row.synced.map(Date.init(microseconds:)), waiting: try Self.waiting(in: db),
        aside: try db.hubSessions.faulty().map {
          .init(session: $0.id, reason: $0.fault ?? "")
        })
    }
  }

  /// The number of sessions with changes that the hub has not got.
  static func waiting(in db: Tables) throws -> Int {
    try Set(db.hubSessions.untold() + db.unsent.sessions()).count + db.offers.count()
      + db.unsent.removals().count
  }
}

extension KeepsakeError {
  static func notJoined(_ path: String) -> KeepsakeError {
    KeepsakeError(
      .notFound, "The store at '\(path)' has joined no hub. Join one first.", object: path)
  }
}
