import KeepsakeFiles

/// The pauses between attempts at a server that is away. They begin short, grow, and are random.
struct PostgresPauses {
  private let deadline: Instant
  private var longest = 2

  private static let limit = 500

  /// Creates pauses that end at a deadline.
  init(until deadline: Instant) { self.deadline = deadline }

  /// Blocks the thread for up to half a second. Returns false, without blocking, when the deadline has passed.
  mutating func wait() -> Bool {
    let now = Instant.now
    guard now < deadline else { return false }
    let pause = now.advanced(by: .milliseconds(Int.random(in: 1...longest)))
    _ = Monitor(()).wait(until: min(pause, deadline)) { _ in nil as Void? }
    longest = min(Self.limit, longest * 2)
    return true
  }
}
