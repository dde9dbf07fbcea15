#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A line of a store's log: something that was done to the store, and not said in a session.
///
/// It is written in the transaction that does it, and holds nothing of what sessions say.
public struct LogLine: Sendable, Hashable, Codable, Identifiable {
  /// In the order in which it was done.
  public let number: Int64
  public let time: Date
  public let event: Event
  /// What it was done to, and how much it was: an object.
  public let detail: JSON

  public var id: Int64 { number }

  /// What was done. A newer version may write what this one does not name.
  public struct Event: RawRepresentable, Sendable, Hashable, Codable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// A source was taken in: `session`, `format`, `source`, and how many `entries` it added.
    public static let `import` = Event(rawValue: "import")
    /// Sessions were taken over whole from another store: `format`, `sessions`.
    public static let restore = Event(rawValue: "restore")
    /// An import that did not come to its end was undone: `format`, `source`.
    public static let abandon = Event(rawValue: "abandon")
    /// A program handed over records, and left out some that stand before them: `session`.
    public static let gap = Event(rawValue: "gap")
    /// Content was erased: `session`, of an entry its `position`, and the session's `change` that says so.
    public static let erase = Event(rawValue: "erase")
    /// A session was deleted: `session`. What forks share with it may still be there.
    public static let delete = Event(rawValue: "delete")
    /// Nothing is left of a deleted session: `session`.
    public static let purge = Event(rawValue: "purge")
    /// What belonged to nothing was removed: `artifacts`, `files`, `bytes`, and the missing artifacts that were given up,
    /// where there were any: `gaveUp`.
    public static let sweep = Event(rawValue: "sweep")
    /// The database was rewritten compactly: how many `bytes` it had before.
    public static let compact = Event(rawValue: "compact")
    /// An artifact whose bytes were damaged or gone has them again, as they were attached once more: `artifact`.
    public static let repair = Event(rawValue: "repair")
  }

  /// Where a page of the log ended.
  public struct Cursor: Sendable, Hashable, Codable, LosslessStringConvertible {
    let number: Int64

    init(number: Int64) { self.number = number }

    public init?(_ description: String) {
      guard let number = Int64(description, radix: 36) else { return nil }
      self.number = number
    }

    public var description: String { String(number, radix: 36) }
  }

  /// One page of the log, newest first.
  public struct Page: Sendable, Hashable, Codable {
    public let lines: [LogLine]
    /// What to ask with for the next page; nil at the end.
    public let next: Cursor?
  }
}
