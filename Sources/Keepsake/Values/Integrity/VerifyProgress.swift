/// The progress of ``Store/verify(_:progress:)``.
public struct VerifyProgress: Sendable, Hashable {
  /// The phases of the check, in their order.
  public enum Phase: String, Sendable, Hashable, CaseIterable {
    case database, sessions, artifacts
  }

  public let phase: Phase
  public let done: Int
  /// The number of things to check, counted when the phase began. A store that grows during the check may exceed it.
  public let total: Int
}
