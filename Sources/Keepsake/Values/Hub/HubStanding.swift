#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The standing of a store at its hub: how far the store is behind, and which stores use the hub.
public struct HubStanding: Sendable, Hashable {
  /// The number of sessions of which the hub has something newer than the store; nil for a store that shares the hub's sessions, because
  /// such a store takes over a session when somebody asks for it.
  public var newer: Int?
  /// The stores that use the hub, ordered by the time of their last use, the newest first. The store that asks is among them once it has
  /// synced.
  public var peers: [Peer]

  /// A store that uses a hub.
  public struct Peer: Sendable, Hashable {
    /// The id of the store at the hub.
    public var id: UUID
    /// The name that the store was given when it joined, or that of its machine.
    public var name: String
    /// The way in which the store is joined to the hub.
    public var way: HubMembership.Way
    /// The time at which the store last used the hub, within an hour.
    public var seen: Date
    /// Tells whether the store is the one that asks.
    public var isThisStore: Bool
    /// Tells whether the store may still have something that was erased or deleted at the hub, because the store was not in step since. A
    /// store that shares the hub's sessions drops erased content when it next reads the session.
    public var isBehindErasing: Bool
  }
}
