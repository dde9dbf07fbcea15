#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A line of a store's log, about something that was done to the store rather than said in a session.
///
/// The line is written in the same transaction as the action, and holds no content of sessions.
public struct LogLine: Sendable, Hashable, Codable, Identifiable {
  /// The number of the line, in the order of the actions.
  public let number: Int64
  /// The time of the action.
  public let time: Date
  /// The kind of action.
  public let event: Event
  /// The objects and the amount of the action, as a JSON object.
  public let detail: JSON

  /// The number of the line, as ``number``.
  public var id: Int64 { number }

  /// The kinds of actions. A newer version may write kinds that this version does not name.
  public struct Event: RawRepresentable, Sendable, Hashable, Codable {
    /// The name of the kind, as it is stored.
    public let rawValue: String

    /// Creates a kind from its stored name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A source was imported: `session`, `format`, `source`, and the number of new `entries`.
    public static let `import` = Event(rawValue: "import")
    /// Whole sessions were restored from another store: `format`, `sessions`.
    public static let restore = Event(rawValue: "restore")
    /// An import that did not finish was undone: `format`, `source`.
    public static let abandon = Event(rawValue: "abandon")
    /// A program handed over records and left out some before them: `session`.
    public static let gap = Event(rawValue: "gap")
    /// Content was erased: `session`, the `position` of an erased entry, and the session's `change` that records it.
    public static let erase = Event(rawValue: "erase")
    /// A session was deleted: `session`. Entries that forks share with it may still exist.
    public static let delete = Event(rawValue: "delete")
    /// The last remains of a deleted session were removed: `session`.
    public static let purge = Event(rawValue: "purge")
    /// Unneeded things were removed: `artifacts`, `files`, `bytes`, and `gaveUp`, the missing artifacts that were given up.
    public static let sweep = Event(rawValue: "sweep")
    /// The database was rewritten compactly; `bytes` is its size before.
    public static let compact = Event(rawValue: "compact")
    /// A damaged or lost artifact got its bytes back when they were attached again: `artifact`.
    public static let repair = Event(rawValue: "repair")
  }

  /// The place at which a page of the log ended.
  public struct Cursor: Sendable, Hashable, Codable, LosslessStringConvertible {
    let number: Int64

    init(number: Int64) { self.number = number }

    /// Reads a cursor from the text that ``description`` gives; nil for any other text.
    public init?(_ description: String) {
      guard let number = Int64(description, radix: 36) else { return nil }
      self.number = number
    }

    /// The cursor as text, to be stored or sent.
    public var description: String { String(number, radix: 36) }
  }

  /// A page of the log, newest first.
  public struct Page: Sendable, Hashable, Codable {
    /// The lines of the page.
    public let lines: [LogLine]
    /// The cursor with which to ask for the next page; nil at the end.
    public let next: Cursor?
  }
}
