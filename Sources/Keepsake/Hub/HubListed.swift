#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// What a hub's lists say of a session.
package struct HubListed: Sendable, Hashable {
  package let session: UUID
  /// The stamp of the session's newest version, of which the lists speak.
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
