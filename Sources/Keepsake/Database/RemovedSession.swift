#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

/// A session that goes, and how much of it others need.
struct RemovedSession {
  let parent: Int64?
  /// Tells whether the parent was deleted, too, or goes together with this session.
  let isOrphan: Bool
  let forkChange: Int
  /// The position below which this session needs its parent's entries.
  let reach: Int
  let hasForks: Bool
  /// The first position that no fork shows.
  let end: Int
}
