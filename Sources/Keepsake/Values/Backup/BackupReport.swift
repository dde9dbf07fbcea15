#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The result of ``Store/backup(to:progress:)``.
public struct BackupReport: Sendable, Hashable, Codable {
  /// The folder of the copy, which is a store like any other.
  public let url: URL
  /// The number of bytes in the copy's database and files.
  public let bytes: Int64
  /// The result of checking the copy.
  ///
  /// Damage in the copy is damage of the store: an artifact whose bytes are lost or altered in the store is missing in the
  /// copy.
  public let report: VerifyReport
}
