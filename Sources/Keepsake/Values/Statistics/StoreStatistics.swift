/// Counts of a store's content by kind, and the bytes that did not have to be stored twice.
public struct StoreStatistics: Sendable, Hashable, Codable {
  /// The number of sessions.
  public let sessions: Int
  /// The number of entries; an entry that forks share counts once.
  public let entries: Int
  /// The number of attachments.
  public let attachments: Int
  /// The number of artifacts.
  public let artifacts: Int
  /// The bytes of all artifacts, each counted once.
  public let artifactBytes: Int64
  /// The further bytes that the attachments would take if each had bytes of its own.
  public let savedBytes: Int64
  /// The size of the database in bytes, with the artifacts in it.
  public let databaseBytes: Int64
  /// The artifacts by the media type that their bytes show, the largest share first.
  public let types: [Share]
  /// The artifacts by the tool or step that made them, the largest share first; an artifact of two tools counts for both.
  public let tools: [Share]

  /// A part of the artifacts.
  public struct Share: Sendable, Hashable, Codable {
    /// The media type or the tool.
    public let name: String
    /// The number of artifacts.
    public let artifacts: Int
    /// The bytes of these artifacts.
    public let bytes: Int64
  }
}
