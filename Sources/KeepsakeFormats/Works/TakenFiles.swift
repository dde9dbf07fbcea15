#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Keepsake

/// The files that tool calls of sessions named, and what became of them when they were looked for.
public struct TakenFiles: Sendable, Hashable, Codable {
  /// Those whose bytes the store has now.
  public var files: [File] = []
  /// How many were taken in before.
  public var known = 0
  /// How many a call wrote that are not there any more.
  public var gone = 0
  /// How many are there and show no sign that a call of the session made what they hold now.
  public var changed = 0
  /// Those that can't be read, and why.
  public var refused: [ImportReport.Skipped] = []

  public init() {}

  /// A file that was taken in.
  public struct File: Sendable, Hashable, Codable {
    /// As the call spells it.
    public let path: String
    public let session: UUID
    /// The entry that it hangs on: the output of the call, or the call itself where that has none.
    public let position: Int
    public let label: String
    public let artifact: Artifact.ID
    public let size: Int64
    public let tool: String
    /// `inferred` where its content follows from what the calls say, `path` where a call named it and its time fits.
    public let basis: Entry.Attachment.Basis
  }

  /// Adds those of another session.
  public mutating func add(_ other: TakenFiles) {
    files += other.files
    known += other.known
    gone += other.gone
    changed += other.changed
    refused += other.refused
  }
}
