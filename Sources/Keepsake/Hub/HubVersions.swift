/// A part of the versions of a session, in their order.
package struct HubVersions: Sendable, Hashable {
  /// The versions, without a gap between their numbers, and each built on the one before.
  package let versions: [HubVersion]
  /// The number of the session's newest version; 0 where the hub has no such session.
  package let newest: Int64
  /// Tells whether the hub has more versions after the last one given.
  package var hasMore: Bool { versions.last.map { $0.version < newest } ?? false }

  package init(versions: [HubVersion], newest: Int64) {
    self.versions = versions
    self.newest = newest
  }
}
