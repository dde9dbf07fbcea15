import KeepsakeFiles

/// Tells whether a client moves bytes fast enough, while it is waited for.
///
/// In each span of `patience` it has to move what the least rate makes of that span. So a pause is allowed, and a
/// client that moves a byte now and then is not.
struct RateGate {
  private let least: Int
  private let patience: Duration
  private var moved = 0
  /// The end of the current span; nil where the client was not waited for since the last one was fulfilled.
  private(set) var deadline: Instant?

  init(_ limits: HTTPLimits) {
    patience = limits.patience
    let (seconds, attoseconds) = patience.components
    let thousandths = Int(clamping: seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    least = max(1, limits.leastRate * thousandths / 1000)
  }

  /// Notes bytes that were moved.
  mutating func note(_ count: Int) {
    moved += count
    if moved >= least { reset() }
  }

  /// Begins anew, when it was not the client that was waited for.
  mutating func reset() {
    moved = 0
    deadline = nil
  }

  /// Returns whether the client, which has nothing at the moment, was too slow in this span.
  mutating func isTooSlow() -> Bool {
    let now = Instant.now
    guard let deadline else {
      moved = 0
      deadline = now.advanced(by: patience)
      return false
    }
    return deadline <= now
  }
}
