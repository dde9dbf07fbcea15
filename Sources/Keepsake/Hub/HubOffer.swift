#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A commit that is offered to a hub for one session.
package struct HubOffer: Sendable, Hashable {
  /// The session that the commit belongs to.
  package let session: UUID
  /// The stamp of the version that the commit builds on; nil for the first commit of a new session.
  package let base: UUID?
  /// The random stamp of the commit itself, by which the hub knows it again when it is sent twice.
  package let stamp: UUID
  /// The commit, which means nothing to the hub.
  package let bytes: [UInt8]
  /// The artifacts that the commit names, which the hub must have before it takes the commit.
  package let artifacts: [Artifact.ID]
  /// The facts by which a hub that keeps lists finds the session.
  package let listing: HubListing

  package init(
    session: UUID, base: UUID?, stamp: UUID, bytes: [UInt8], artifacts: [Artifact.ID] = [],
    listing: HubListing = HubListing()
  ) {
    self.session = session
    self.base = base
    self.stamp = stamp
    self.bytes = bytes
    self.artifacts = artifacts
    self.listing = listing
  }
}
