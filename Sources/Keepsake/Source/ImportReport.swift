#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What an import added, what the store had already, and what could not be taken over.
public struct ImportReport: Sendable, Hashable, Codable {
  public var sessions: [ImportedSession]
  public var artifacts: Artifacts
  public var skipped: [Skipped]

  /// A session that an import made, grew, or found unchanged.
  public struct ImportedSession: Sendable, Hashable, Codable, Identifiable {
    public let id: UUID
    public let title: String?
    /// How many it has now.
    public let entries: Int
    public let attachments: Int
    /// The codec's name.
    public let format: String
    /// Whether this import made it.
    public let new: Bool
    /// How many entries this import added.
    public let added: Int
    /// How many stored entries say something else in the file; what they said before is kept as revisions.
    public let revised: Int
    /// Of a new session: the one that its file may have been thought to continue, and where they part ways.
    public let parting: Parting?
  }

  /// Where a file goes another way than a session that it has something in common with.
  public struct Parting: Sendable, Hashable, Codable {
    public let session: UUID
    /// The first position of that session at which the file does not say what it says; the file's end, where it says
    /// the same up to there.
    public let position: Int
  }

  /// The artifacts in what was added.
  public struct Artifacts: Sendable, Hashable, Codable {
    public var new = 0
    /// Those whose bytes the store had before, or that came more than once.
    public var known = 0
    /// Of the new ones.
    public var bytes: Int64 = 0

    public init() {}
  }

  /// A file or record that was not taken over as it should have been, and why; or one that was kept as it is, though not
  /// all of it is understood.
  public struct Skipped: Sendable, Hashable, Codable {
    public let path: String?
    /// Of a record: which one of its file, counted from 1; in files of lines, the line.
    public let line: Int?
    public let reason: String
    /// Whether all of it is kept, and only not understood.
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

  /// Adds what another file brought.
  public mutating func add(_ other: ImportReport) {
    sessions += other.sessions
    artifacts.new += other.artifacts.new
    artifacts.known += other.artifacts.known
    artifacts.bytes += other.artifacts.bytes
    skipped += other.skipped
  }
}
