#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Keepsake

/// The tool calls that name a file which they write or make.
public struct FileCalls: Sendable, Hashable, Codable {
  /// The calls in the order of each session; the session that named the file last comes first.
  public internal(set) var calls: [Call] = []
  /// Whether there may be more calls, because so many have the file's name that not all were looked at.
  public internal(set) var hasMore = false

  /// A tool call that names a file.
  public struct Call: Sendable, Hashable, Codable {
    public let session: UUID
    public let title: String?
    /// The position of the call's entry.
    public let position: Int
    /// The index of the call among the calls of its entry.
    public let ordinal: Int
    public let id: String
    public let tool: String
    /// The file's path as the call spells it.
    public let path: String
    public let deed: Deed
    /// The time of the call; nil where it is not known.
    public let created: Date?
    /// How the file shows that the call made it; nil where it does not.
    ///
    /// The basis is `inferred` where the file's content follows from the calls, and `path` where the file last
    /// changed while this call ran.
    public let basis: Entry.Attachment.Basis?
    /// The prompt of the call's turn.
    public let prompt: Audit.Occurrence.Prompt?
  }

  /// The kind of a call's work on a file, according to its arguments.
  public enum Deed: String, Sendable, Hashable, Codable, CaseIterable {
    /// The call gives the whole text.
    case write
    /// The call replaces pieces of the text.
    case edit
    /// The call changes the file in a way that the arguments do not tell.
    case change
    /// The call is a command that contains the file's name.
    case name
    /// The call removes the file.
    case remove

    init(_ deed: FileWork.Deed) {
      self =
        switch deed {
        case .write: .write
        case .edit: .edit
        case .change: .change
        case .name: .name
        case .remove: .remove
        }
    }
  }
}
