#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The facts of an offer by which a hub that keeps lists finds the session later.
///
/// A hub's lists only find sessions. Whoever looks for sessions takes over the found ones, and reads in these what is true. So a list may
/// hold too much, but has to hold everything that was offered. The tags of sessions are the exception: sessions are counted by them, so a
/// list holds those that a session has, and no others.
package struct HubListing: Sendable, Hashable {
  /// The place of a session in the hub's lists.
  package enum Place: Sendable, Hashable {
    /// The session stays where it is.
    case unchanged
    /// The session is listed under the time of its last change, in microseconds.
    case listed(updated: Int64)
    /// The session was deleted, and no list has it.
    case unlisted
  }

  /// The earlier terms of a session that a commit takes the place of.
  package enum Replaced: Sendable, Hashable {
    case nothing
    /// The tags of the session itself, all of which the commit has.
    case tags
    /// All terms, because the commit has the whole session, or deletes it.
    case all
  }

  package var place: Place
  /// The time in microseconds under which the commit lists its session; nil if the commit changes no such time, or takes the session off
  /// the lists.
  package var updated: Int64? {
    if case .listed(let updated) = place { updated } else { nil }
  }
  package var replaced: Replaced
  /// The terms that the commit adds.
  package var terms: Set<HubTerm>
  /// The session that a new fork was forked from, whose terms hold for the fork, too.
  package var origin: UUID?

  /// Creates the listing of a commit that changes no list.
  package init(
    place: Place = .unchanged, replaced: Replaced = .nothing, terms: Set<HubTerm> = [],
    origin: UUID? = nil
  ) {
    self.place = place
    self.replaced = replaced
    self.terms = terms
    self.origin = origin
  }
}
