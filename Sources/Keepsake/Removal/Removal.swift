/// What was removed from a store: by deleting a session, by erasing, or by a sweep.
public struct Removal: Sendable, Hashable, Codable {
  /// Sessions of which nothing is left.
  public var sessions = 0
  public var entries = 0
  public var attachments = 0
  /// Artifacts whose bytes are gone, because nobody else used them.
  public var artifacts = 0
  /// Of those artifacts.
  public var artifactBytes: Int64 = 0
  /// Files that belonged to nothing: left by a crash, or copies of artifacts that are gone.
  public var strayFiles = 0
  public var strayBytes: Int64 = 0
  /// False while something that no session shows any more is still in a file of the store: because a backup, an export or
  /// a reader was in the way, or because a large search index still has words of it. It goes when nobody writes, with the
  /// next ``Store/sweep(olderThan:givingUp:)``, or once the store is opened for writing again.
  public var isComplete = true

  init() {}

  mutating func add(_ other: Removal) {
    sessions += other.sessions
    entries += other.entries
    attachments += other.attachments
    artifacts += other.artifacts
    artifactBytes += other.artifactBytes
    strayFiles += other.strayFiles
    strayBytes += other.strayBytes
    isComplete = isComplete && other.isComplete
  }
}
