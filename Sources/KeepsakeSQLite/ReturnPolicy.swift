import KeepsakeFiles

/// Decides how long the writer waits for callers that were just answered to come back with another request.
///
/// If many tasks write, the first that returns would otherwise get a commit of its own while the others queue for the next,
/// which takes two waits for the disk in place of one.
struct ReturnPolicy {
  /// The divisor of a commit's duration that gives the wait for other requests: a quarter.
  static let share = 4
  /// The longest wait for other requests.
  static let limit = Duration.milliseconds(1)

  private var answered = 0
  private var commit = Duration.zero

  /// Notes how many requests were answered together, and how long their commit took.
  mutating func answered(_ count: Int, after time: Duration) {
    answered = count
    commit = time
  }

  /// Waits for new requests if the last commit answered several.
  mutating func wait(for queue: WriterQueue) {
    guard answered > 1 else { return }
    queue.gather(answered, until: .now.advanced(by: min(commit / Self.share, Self.limit)))
    answered = 0
  }
}
