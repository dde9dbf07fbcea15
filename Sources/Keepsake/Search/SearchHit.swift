#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An entry that was found.
public struct SearchHit: Sendable, Hashable, Identifiable {
  /// The session that shows the entry: the one that owns it, or the one that was searched.
  public let session: UUID
  /// The session's title.
  public let title: String?
  /// Where the entry stands in the session.
  public let position: Int
  /// What the entry is.
  public let kind: Entry.Kind
  /// Of an output: the call that it answers; of calls: the first one whose arguments have what was looked for.
  public let callID: String?
  /// When the entry came to be.
  public let created: Date?
  /// The part of it that says why it was found.
  public let snippet: Snippet
  /// How well it matches, more is better; nil unless hits are ranked. Only good for comparing hits of one search.
  public let score: Double?

  public var id: ID { ID(session: session, position: position) }

  /// What tells hits apart.
  public struct ID: Sendable, Hashable {
    public let session: UUID
    public let position: Int
  }

  /// A piece of an entry's text, on one line.
  public struct Snippet: Sendable, Hashable {
    /// The piece; … stands where something was left out.
    public let text: String
    /// What was looked for, as UTF-8 offsets into the piece.
    public let ranges: [Range<Int>]
  }
}
