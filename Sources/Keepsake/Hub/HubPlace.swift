#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The place of a session in the order in which a hub lists sessions.
package struct HubPlace: Sendable, Hashable {
  /// The time of the last change, in microseconds.
  package let updated: Int64
  package let session: UUID

  package init(updated: Int64, session: UUID) {
    self.updated = updated
    self.session = session
  }
}
