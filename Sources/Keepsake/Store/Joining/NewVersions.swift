#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The first versions of a session that are new to a store, and the version after which they were read.
struct NewVersions: Sendable {
  let versions: HubVersions
  private let seen: HubSessionTable.Row

  init(_ versions: HubVersions, after seen: HubSessionTable.Row) {
    self.versions = versions
    self.seen = seen
  }

  /// Tells whether the versions follow the version of the session that the store last saw.
  func follow(_ row: HubSessionTable.Row) -> Bool { row.hasVersion(of: seen) }
}
