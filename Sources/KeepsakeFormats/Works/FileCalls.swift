#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Keepsake

/// The tool calls that name a file as what they write or make.
public struct FileCalls: Sendable, Hashable, Codable {
  /// Those of a session in their order, the session that spoke of the file last first.
  public internal(set) var calls: [Call] = []
  /// Whether there may be more: of a name that very many calls have, not all are looked at.
  public internal(set) var hasMore = false

  /// A tool call that names a file.
  public struct Call: Sendable, Hashable, Codable {
    public let session: UUID
    public let title: String?
    /// Where the call stands: its entry, and which of that entry's calls it is.
    public let position: Int
    public let ordinal: Int
    public let id: String
    public let tool: String
    /// As the call spells it.
    public let path: String
    public let deed: Deed
    /// When the call was made, where that is known.
    public let created: Date?
    /// `inferred` where the file holds what the calls say, `path` where it last changed while this call ran; nil where the
    /// call names the file, and nothing shows that the file still is what the call made.
    public let basis: Entry.Attachment.Basis?
    /// The prompt of its turn.
    public let prompt: Audit.Occurrence.Prompt?
  }

  /// What a call does to a file, as its arguments say it.
  public enum Deed: String, Sendable, Hashable, Codable, CaseIterable {
    /// It says the whole text.
    case write
    /// It replaces pieces of the text.
    case edit
    /// It changes the file, and does not say how.
    case change
    /// It is a command in which the file's name stands.
    case name
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
