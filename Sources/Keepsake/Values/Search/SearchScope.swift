#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The conditions that a found entry must meet, all of them.
public struct SearchScope: Sendable, Hashable {
  /// The kinds of entries to search; an empty set stands for all kinds.
  public var kinds: Set<Entry.Kind>
  /// The session to search, with all entries that it shows, including those of a fork's parents.
  public var session: UUID?
  /// The tool that entries call, or whose output they are.
  public var tool: String?
  /// The model that made the entries, or to which they were sent.
  public var model: String?
  /// A tag of the entry or of its session.
  public var tag: String?
  /// The earliest time of entries, included.
  public var since: Date?
  /// The latest time of entries, excluded.
  public var until: Date?

  /// Creates a scope; without any condition it is the whole store.
  ///
  /// - Parameters:
  ///   - kinds: The kinds of entries to search; an empty set stands for all kinds.
  ///   - session: The session to search.
  ///   - tool: The tool that entries call, or whose output they are.
  ///   - model: The model that made the entries, or to which they were sent.
  ///   - tag: A tag of the entry or of its session.
  ///   - since: The earliest time of entries, included.
  ///   - until: The latest time of entries, excluded.
  public init(
    kinds: Set<Entry.Kind> = [], session: UUID? = nil, tool: String? = nil, model: String? = nil,
    tag: String? = nil, since: Date? = nil, until: Date? = nil
  ) {
    self.kinds = kinds
    self.session = session
    self.tool = tool
    self.model = model
    self.tag = tag
    self.since = since
    self.until = until
  }
}
