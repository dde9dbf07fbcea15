/// How thoroughly ``Store/verify(_:progress:)`` looks, and what it compares with.
public struct VerifyOptions: Sendable, Hashable {
  /// How much of SQLite's own check is run.
  public enum DatabaseCheck: String, Sendable, Hashable, Codable, CaseIterable {
    /// Every page and row, but not whether indexes agree with their tables.
    case quick
    /// Indexes too; several times as slow.
    case full
  }

  public var database: DatabaseCheck
  /// Whether every artifact is read and hashed; otherwise only that it is there in its size.
  public var readData: Bool
  /// Heads that were kept outside of the store: what only they can prove is proved.
  public var heads: [VerifyReport.Head]

  public init(
    database: DatabaseCheck = .quick, readData: Bool = false, heads: [VerifyReport.Head] = []
  ) {
    self.database = database
    self.readData = readData
    self.heads = heads
  }
}
