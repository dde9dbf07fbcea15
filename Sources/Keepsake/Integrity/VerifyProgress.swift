/// How far ``Store/verify(_:progress:)`` has got.
public struct VerifyProgress: Sendable, Hashable {
  /// What is looked at, in this order.
  public enum Phase: String, Sendable, Hashable, CaseIterable {
    case database, sessions, artifacts
  }

  public let phase: Phase
  public let done: Int
  /// As counted when the phase began; a store that grows meanwhile may exceed it.
  public let total: Int
}
