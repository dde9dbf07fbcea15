/// How much a store holds, of what, and what was not stored twice.
public struct StoreStatistics: Sendable, Hashable, Codable {
  public let sessions: Int
  /// Each once, however many forks share it.
  public let entries: Int
  public let attachments: Int
  public let artifacts: Int
  /// Of the artifacts, each once.
  public let artifactBytes: Int64
  /// What the attachments would take beyond that, if each had bytes of its own.
  public let savedBytes: Int64
  /// Of the database, with the artifacts that are in it.
  public let databaseBytes: Int64
  /// By what the artifacts' bytes say they are, the largest share first.
  public let types: [Share]
  /// By the tool, or the step of the app, that made them, the largest share first; what two tools made counts for both.
  public let tools: [Share]

  /// A part of the artifacts.
  public struct Share: Sendable, Hashable, Codable {
    public let name: String
    public let artifacts: Int
    public let bytes: Int64
  }
}
