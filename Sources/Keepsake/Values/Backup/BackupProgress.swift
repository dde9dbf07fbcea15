/// The progress of ``Store/backup(to:progress:)``.
public struct BackupProgress: Sendable, Hashable {
  /// The phases of a backup, in order.
  public enum Phase: String, Sendable, Hashable, CaseIterable {
    /// The database is being copied.
    case database
    /// The large artifacts are being copied.
    case artifacts
    /// The copy is being read and compared with its chains and digests.
    case verifying
  }

  /// The present phase.
  public let phase: Phase
  /// The amount that is done: bytes while copying; in the last phase sessions, and then artifacts.
  public let done: Int64
  /// The whole amount of the phase, in the same unit.
  public let total: Int64
}
