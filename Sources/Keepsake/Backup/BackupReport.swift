#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What ``Store/backup(to:progress:)`` made.
public struct BackupReport: Sendable, Hashable, Codable {
  /// The folder of the copy, a store like any other.
  public let url: URL
  /// Of its database and its artifacts' files.
  public let bytes: Int64
  /// What was found when the copy was read again. Damage in it is damage that the store has: an artifact whose bytes are
  /// gone or altered there is missing in the copy.
  public let report: VerifyReport
}
