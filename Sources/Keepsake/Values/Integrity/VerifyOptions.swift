/// The options of ``Store/verify(_:progress:)``: how thorough the check is, and what it compares with.
public struct VerifyOptions: Sendable, Hashable {
  /// The extent of SQLite's own check.
  public enum DatabaseCheck: String, Sendable, Hashable, Codable, CaseIterable {
    /// Checks every page and row, but not whether indexes agree with their tables.
    case quick
    /// Checks indexes, too, which takes several times as long.
    case full
  }

  public var database: DatabaseCheck
  /// Tells whether to read and hash every artifact. Otherwise, only its presence and its size are checked.
  public var readData: Bool
  /// Heads that were kept outside of the store.
  ///
  /// Only with these can the check find that a chain was replaced as a whole, or cut at its end.
  public var heads: [VerifyReport.Head]

  public init(
    database: DatabaseCheck = .quick, readData: Bool = false, heads: [VerifyReport.Head] = []
  ) {
    self.database = database
    self.readData = readData
    self.heads = heads
  }
}
