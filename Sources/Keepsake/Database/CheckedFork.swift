#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// The row of a fork, as it stands in the database.
struct CheckedFork {
  /// The digits of the fork's id.
  let id: String
  let change: Int
  let head: SHA256Digest?
  let position: Int
  let reach: Int?
  let isPurged: Bool
  /// The highest reach of the fork's own forks; 0 without one.
  let highestReach: Int
}
