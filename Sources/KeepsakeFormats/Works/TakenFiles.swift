#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Keepsake

/// The outcome of looking for the files that tool calls of sessions named.
public struct TakenFiles: Sendable, Hashable, Codable {
  /// The files that were attached.
  public var files: [File] = []
  /// The number of files that were attached earlier.
  public var known = 0
  /// The number of files that a call wrote and that no longer exist.
  public var gone = 0
  /// The number of files that exist and do not show that a call of the session made their content.
  public var changed = 0
  /// The files that can't be read, with reasons.
  public var refused: [ImportReport.Skipped] = []

  /// Creates an empty outcome.
  public init() {}

  /// A file that was attached.
  public struct File: Sendable, Hashable, Codable {
    /// The file's path as the call spells it.
    public let path: String
    public let session: UUID
    /// The position of the entry with the attachment: the output of the call, or the call itself where it has none.
    public let position: Int
    public let label: String
    public let artifact: Artifact.ID
    public let size: Int64
    public let tool: String
    /// The basis: `inferred` where the content follows from the calls, `path` where a call named the file and its
    /// time fits.
    public let basis: Entry.Attachment.Basis
  }

  /// Adds the outcome of another session.
  public mutating func add(_ other: TakenFiles) {
    files += other.files
    known += other.known
    gone += other.gone
    changed += other.changed
    refused += other.refused
  }
}
