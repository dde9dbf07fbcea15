#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The outcome of keeping a store in step with its hub.
public struct SyncReport: Sendable, Hashable {
  /// The sessions of which changes went to the hub.
  public var sent: Set<UUID> = []
  /// The sessions of which changes came from the hub.
  public var received: Set<UUID> = []
  /// The sessions that were deleted here, because somebody deleted them elsewhere.
  public var removed: Set<UUID> = []
  /// The sessions that went on here and elsewhere, with what became of what was written here.
  public var parted: [Parted] = []
  /// The number of artifacts that went to the hub.
  public var sentArtifacts = 0
  /// The number of bytes of these artifacts.
  public var sentBytes: Int64 = 0
  /// The number of artifacts that came from the hub.
  public var receivedArtifacts = 0
  /// The number of bytes of these artifacts.
  public var receivedBytes: Int64 = 0
  /// The sessions that are not kept in step, with the reason.
  public var aside: [HubMembership.Aside] = []
  /// The sessions that could not be sent or read this time, with the reason. The next sync tries them again.
  public var failed: [HubMembership.Aside] = []

  /// Creates a report of nothing.
  public init() {}

  /// A session that went on here and elsewhere at the same time.
  public struct Parted: Sendable, Hashable {
    /// The session, which goes on as the others have it.
    public var session: UUID
    /// The session that has the continuation that was written here.
    public var continuation: UUID
  }
}
