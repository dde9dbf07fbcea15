#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a hub says of the stores that meet there, and of how far one of them is behind.
public struct HubStanding: Sendable, Hashable {
  /// The number of sessions of which the hub has something newer than the store; nil if the store shares the hub's sessions, because
  /// it takes over what is newer when it is asked for.
  public var newer: Int?
  /// The stores that were at the hub, the one that was there last first. This store is among them once it was in step.
  public var peers: [Peer]

  /// A store that was at a hub.
  public struct Peer: Sendable, Hashable {
    /// The id of the store at the hub.
    public var id: UUID
    /// The name that the store was given when it joined, or that of its machine.
    public var name: String
    /// The way in which the store is joined to the hub.
    public var way: HubMembership.Way
    /// The time at which the store was last there, within an hour.
    public var seen: Date
    /// Tells whether it is this store.
    public var isThisStore: Bool
    /// Tells whether something was erased or deleted at the hub since the store was last in step, so that the store may still have
    /// it. A store that shares the hub's sessions drops what was erased when it reads the session next.
    public var isBehindErasing: Bool
  }
}
