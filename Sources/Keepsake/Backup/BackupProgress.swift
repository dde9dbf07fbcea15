/// How far ``Store/backup(to:progress:)`` has got.
public struct BackupProgress: Sendable, Hashable {
  /// What is done, in this order.
  public enum Phase: String, Sendable, Hashable, CaseIterable {
    /// The database is copied.
    case database
    /// The large artifacts are copied.
    case artifacts
    /// The copy is read again and compared with what its chains and digests say.
    case verifying
  }

  public let phase: Phase
  /// In bytes; of the last phase in sessions, and then in artifacts.
  public let done: Int64
  public let total: Int64
}
