#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Where to search; every condition that is given must hold.
public struct SearchScope: Sendable, Hashable {
  /// The kinds of entries to look through; all of them where it is empty.
  public var kinds: Set<Entry.Kind>
  /// One session. A fork is searched with all that it shows, its parents' entries included.
  public var session: UUID?
  /// Entries that call this tool, and outputs that answer for it.
  public var tool: String?
  /// Entries that this model made, or that were sent to it.
  public var model: String?
  /// A tag of the entry or of its session.
  public var tag: String?
  /// Entries that came to be at this time or later.
  public var since: Date?
  /// Entries that came to be before this time.
  public var until: Date?

  /// A scope with some conditions; without any it is the whole store.
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
