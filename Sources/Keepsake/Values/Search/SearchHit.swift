#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An entry that a search found.
public struct SearchHit: Sendable, Hashable, Identifiable {
  /// The id of the session that shows the entry, which is the searched session, or else the owner of the entry.
  public let session: UUID
  /// The session's title.
  public let title: String?
  /// The position of the entry in the session.
  public let position: Int
  /// The kind of the entry.
  public let kind: Entry.Kind
  /// The call that an output answers, or the first call of a `toolCalls` entry whose arguments match.
  public let callID: String?
  /// The time of the entry.
  public let created: Date?
  /// A part of the entry's text that shows why the entry was found.
  public let snippet: Snippet
  /// The score of a ranked hit, more is better, comparable only within one search; nil in other orders.
  public let score: Double?

  /// The session and position, which identify the hit.
  public var id: ID { ID(session: session, position: position) }

  /// Identifies a hit by session and position.
  public struct ID: Sendable, Hashable {
    /// The id of the session.
    public let session: UUID
    /// The position of the entry.
    public let position: Int
  }

  /// A piece of an entry's text, on one line.
  public struct Snippet: Sendable, Hashable {
    /// The text of the piece, with … where something was left out.
    public let text: String
    /// The ranges of the found words, as UTF-8 offsets into the piece.
    public let ranges: [Range<Int>]
  }
}
