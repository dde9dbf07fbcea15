import KeepsakeFiles

/// The attempts to have offers answered, which are the same bytes each time.
struct PostgresAttempts {
  private var pauses: PostgresPauses
  private let resolving: Duration
  private let start = Instant.now
  /// Tells whether an attempt was sent of which nobody knows whether it was taken.
  private(set) var isUnknown = false

  init(_ patience: PostgresPatience) {
    pauses = PostgresPauses(until: start.advanced(by: patience.reaching))
    resolving = patience.resolving
  }

  /// Waits a while after a failure; false where another attempt makes no sense, or the time is over.
  ///
  /// An offer that was never sent is given up soon. One that may have been taken is resolved, for as long as that may take.
  mutating func mayGoOn(after failure: PostgresFailure) -> Bool {
    if failure.kind == .unknown, !isUnknown {
      isUnknown = true
      pauses = PostgresPauses(until: start.advanced(by: resolving))
    }
    return failure.isPassing && pauses.wait()
  }
}
