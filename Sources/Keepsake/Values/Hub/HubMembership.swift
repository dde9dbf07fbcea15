#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The hub that a store joined, and how far the store is in step with it.
public struct HubMembership: Sendable, Hashable {
  /// The hub's id.
  public var hub: UUID
  /// The hub's address, without a secret.
  public var address: String
  /// The id of the store at the hub.
  public var peer: UUID
  /// The name of the store at the hub, for people.
  public var name: String
  /// The way in which the store is joined to the hub.
  public var way: Way
  /// The time at which the store joined.
  public var since: Date
  /// The time at which the store last had all that the hub had; nil if it never did.
  public var synced: Date?
  /// The number of sessions with changes that the hub has not got yet.
  public var waiting: Int
  /// The sessions that are not kept in step, with the reason. They stay readable here, and a mirror can change them, too.
  public var aside: [Aside]

  /// The ways in which a store can be joined to a hub.
  public enum Way: Sendable, Hashable {
    /// The store has all that the hub has, and works without it. What is written here reaches the hub with a sync.
    case mirror
    /// The folder is a cache. A change is made only when the hub has it, and sessions come when they are asked for.
    case shared
  }

  /// A session that is not kept in step with the hub.
  public struct Aside: Sendable, Hashable {
    /// The session's id. The session need not be in the store.
    public var session: UUID
    /// A sentence that says why.
    public var reason: String
  }
}
