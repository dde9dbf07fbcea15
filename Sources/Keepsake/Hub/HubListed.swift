#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// An entry of a session in a hub's lists.
package struct HubListed: Sendable, Hashable {
  package let session: UUID
  /// The stamp of the session's newest version.
  package let stamp: UUID
  /// The time of the session's last change, in microseconds; nil where no list has the session.
  package var updated: Int64?
  /// The terms by which the session is found.
  package var terms: Set<HubTerm>

  package init(session: UUID, stamp: UUID, updated: Int64?, terms: Set<HubTerm>) {
    self.session = session
    self.stamp = stamp
    self.updated = updated
    self.terms = terms
  }
}
