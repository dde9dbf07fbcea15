#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The name under which a store tells the others in a hub's feed that something changed.
///
/// A store keeps it, with the number, between its visits. Where the number is taken, another store has the same name, because
/// one is a copy of the other: then this one goes on under a new name.
package struct HubPeer: Sendable, Hashable {
  /// The random id of the peer.
  package var id: UUID
  /// The number of its next entry in the feed, counted from 1.
  package var next: Int64

  package init(id: UUID = UUID(), next: Int64 = 1) {
    self.id = id
    self.next = next
  }
}
