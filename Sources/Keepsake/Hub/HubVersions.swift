#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A part of the versions of a session, in their order.
package struct HubVersions: Sendable, Equatable {
  /// The versions, without a gap between their numbers, and each built on the one before.
  package let versions: [HubVersion]
  /// The number of the session's newest version; 0 where the hub has no such session.
  package let newest: Int64
  /// The stamp of the version after which the hub was asked. The first version given says it, too. Nil where no version is given, and the
  /// hub did not read that one or has not got it.
  package let before: UUID?
  /// Tells whether the hub has more versions after the last one given.
  package var hasMore: Bool { versions.last.map { $0.version < newest } ?? false }

  package init(versions: [HubVersion], newest: Int64, before: UUID? = nil) {
    self.versions = versions
    self.newest = newest
    self.before = before ?? versions.first?.base
  }
}
