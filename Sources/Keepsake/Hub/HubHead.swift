#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The newest version of a session.
package struct HubHead: Sendable, Hashable {
  /// The session.
  package let session: UUID
  /// The number of the version, counted from 1.
  package let version: Int64
  /// The stamp of the version.
  package let stamp: UUID

  package init(session: UUID, version: Int64, stamp: UUID) {
    self.session = session
    self.version = version
    self.stamp = stamp
  }
}
