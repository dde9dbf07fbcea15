import Synchronization

/// Counts the rows that were found with bytes that don't match their artifacts' ids, for all connections of a store.
final class RowAlarms: Sendable {
  private let found = Atomic(0)

  /// The number of damaged rows found so far.
  var count: Int { found.load(ordering: .acquiring) }

  /// Notes that a damaged row was found.
  func raise() { found.add(1, ordering: .acquiringAndReleasing) }
}
