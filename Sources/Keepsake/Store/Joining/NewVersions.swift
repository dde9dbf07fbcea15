#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The first versions of a session that are new to a store, and the version after which they were read.
struct NewVersions: Sendable {
  let versions: HubVersions
  private let version: Int64
  private let stamp: UUID?

  init(_ versions: HubVersions, after seen: HubSessionTable.Row) {
    self.versions = versions
    version = seen.version
    stamp = seen.stamp
  }

  /// Tells whether the versions follow the version of the session that the store last saw.
  func follow(_ seen: HubSessionTable.Row) -> Bool {
    seen.version == version && seen.stamp == stamp
  }
}
