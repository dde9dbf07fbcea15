/// The result of removing something from a store: by deleting sessions, by erasing, or by a sweep.
public struct Removal: Sendable, Hashable, Codable {
  /// The number of sessions of which nothing is left.
  public var sessions = 0
  public var entries = 0
  public var attachments = 0
  /// The number of artifacts whose bytes were removed, because nothing else used them.
  public var artifacts = 0
  /// The number of bytes of the removed artifacts.
  public var artifactBytes: Int64 = 0
  /// The number of removed files that belonged to nothing: left by a crash, or copies of artifacts that are gone.
  public var strayFiles = 0
  public var strayBytes: Int64 = 0
  /// Tells whether no trace of what was removed is left in the store's files.
  ///
  /// This is false if a backup, an export or a reader was in the way, or if a large search index still has words of it.
  /// The rest is removed when nobody writes, with the next ``Store/sweep(olderThan:givingUp:)``, or when the store is
  /// next opened for writing.
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
