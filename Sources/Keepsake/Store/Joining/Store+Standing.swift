#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Asking a hub which stores use it.
extension Store {
  /// Asks the hub which stores use it, and how far this store is behind the hub.
  ///
  /// - Parameter address: The place of the hub, where it has another address than the one that the store knows; nil for that one.
  /// - Throws: A ``KeepsakeError``: the store has joined no hub, the hub can't be reached, or another hub is at the address.
  @concurrent
  public func standing(with address: HubAddress? = nil) async throws -> HubStanding {
    guard let joined = try handle.read({ try $0.joined.row() }) else {
      throw KeepsakeError.notJoined(handle.layout.path)
    }
    if let hub = handle.store.sharing?.hub { return try await standing(at: hub, joined) }
    return try await Self.using(try address ?? HubAddress(joined.address), joined.opening) { hub in
      try await standing(at: hub, joined)
    }
  }

  private func standing(at hub: any Hub, _ joined: JoinedTable.Row) async throws -> HubStanding {
    var newer: Int?
    if !joined.isShared {
      var sync = Sync(store: self, hub: hub)
      let mark = joined.mark.map(HubMark.init(text:))
      newer = try await sync.newSessions(after: mark, synced: joined.synced).sessions.count
    }
    let erasings = Set(try await hub.notes(.erasing).map(\.id))
    let now = Date(microseconds: handle.now())
    let peers = try await hub.notes(.peer).compactMap { note -> HubStanding.Peer? in
      guard let peer = PeerNote(text: note.text) else { return nil }
      return HubStanding.Peer(
        id: note.id, name: peer.name, way: peer.isShared ? .shared : .mirror,
        seen: now.addingTimeInterval(-Double(note.age.components.seconds)),
        isThisStore: note.id == joined.peer,
        isBehindErasing: !erasings.isSubset(of: peer.erasings))
    }
    return HubStanding(
      newer: newer,
      peers: peers.sorted { ($1.seen, $0.name, "\($0.id)") < ($0.seen, $1.name, "\($1.id)") })
  }

  /// Takes a store off the hub's list of stores. A store that uses the hub again is put on the list again.
  ///
  /// - Parameters:
  ///   - peer: The id of the store at the hub.
  ///   - address: The place of the hub.
  /// - Throws: A ``KeepsakeError`` if the hub can't be reached.
  @concurrent
  public static func forgetPeer(_ peer: UUID, ofHubAt address: HubAddress) async throws {
    try await using(address) { try await $0.removeNotes(.peer, [peer]) }
  }
}
