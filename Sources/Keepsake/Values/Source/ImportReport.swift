#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A report on an import: the sessions, the artifacts, and the records that were not understood.
public struct ImportReport: Sendable, Hashable, Codable {
  public var sessions: [ImportedSession]
  public var artifacts: Artifacts
  public var skipped: [Skipped]

  /// A session that an import made, grew, or found unchanged.
  public struct ImportedSession: Sendable, Hashable, Codable, Identifiable {
    public let id: UUID
    public let title: String?
    /// The number of entries that the session has now.
    public let entries: Int
    /// The number of attachments that the session has now.
    public let attachments: Int
    /// The codec's name.
    public let format: String
    /// Tells whether this import made the session.
    public let new: Bool
    /// The number of entries that this import added.
    public let added: Int
    /// The number of stored entries that say something else in the file. Their former content is kept as revisions.
    public let revised: Int
    /// The session that the file of a new session may have been thought to continue, and where they part ways; nil if there
    /// is none.
    public let parting: Parting?
  }

  /// The place where a file goes another way than a session with which it has something in common.
  public struct Parting: Sendable, Hashable, Codable {
    public let session: UUID
    /// The first position of that session at which the file says something else, or ends.
    public let position: Int
  }

  /// The artifacts in what was added.
  public struct Artifacts: Sendable, Hashable, Codable {
    /// The number of artifacts whose bytes are new.
    public var new = 0
    /// The number of artifacts whose bytes the store had before, or that came more than once.
    public var known = 0
    /// The size of the new artifacts together.
    public var bytes: Int64 = 0

    public init() {}
  }

  /// A file or record that was not taken over, or was kept as it is without being understood, and the reason.
  public struct Skipped: Sendable, Hashable, Codable {
    public let path: String?
    /// The line of the record in a file of lines, or its number in any other file, counted from 1; nil for a whole file.
    public let line: Int?
    public let reason: String
    /// Tells whether everything is kept, and only not understood.
    public let isKept: Bool

    public init(path: String?, line: Int? = nil, reason: String, isKept: Bool = false) {
      self.path = path
      self.line = line
      self.reason = reason
      self.isKept = isKept
    }
  }

  public init(
    sessions: [ImportedSession] = [], artifacts: Artifacts = .init(), skipped: [Skipped] = []
  ) {
    self.sessions = sessions
    self.artifacts = artifacts
    self.skipped = skipped
  }

  /// Adds the report on another file.
  public mutating func add(_ other: ImportReport) {
    sessions += other.sessions
    artifacts.new += other.artifacts.new
    artifacts.known += other.artifacts.known
    artifacts.bytes += other.artifacts.bytes
    skipped += other.skipped
  }
}
