/// Counts the unfinished files and folders that processes which ended left in a folder.
package struct Abandoned: Sendable, Hashable {
  /// The number of files, and of folders with everything in them.
  package var count = 0
  /// The size of all files, including those in folders.
  package var bytes: Int64 = 0
  /// Whether more is left, because the limit of one call was reached.
  package var hasMore = false

  package init() {}

  /// Adds what was left in another folder.
  package mutating func add(_ other: Abandoned) {
    count += other.count
    bytes += other.bytes
    hasMore = hasMore || other.hasMore
  }
}
