#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A commit that a hub took for a session.
package struct HubVersion: Sendable, Hashable {
  /// The number of the version, counted from 1.
  package let version: Int64
  /// The stamp of the commit.
  package let stamp: UUID
  /// The stamp of the version before; nil for the first one.
  package let base: UUID?
  /// The commit as it was offered.
  package let bytes: [UInt8]

  package init(version: Int64, stamp: UUID, base: UUID?, bytes: [UInt8]) {
    self.version = version
    self.stamp = stamp
    self.base = base
    self.bytes = bytes
  }
}
