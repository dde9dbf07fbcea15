import KeepsakeFiles

/// How long the writer waits for those that it has just answered to come back with their next request.
///
/// Where many tasks write, the first one that is back would otherwise get a commit of its own while the
/// others queue for the next: two waits for the disk in place of one.
struct ReturnPolicy {
  /// As much of the time that a commit took may be spent on waiting for company.
  static let share = 4
  /// The longest wait for company.
  static let limit = Duration.milliseconds(1)

  private var answered = 0
  private var commit = Duration.zero

  /// Notes that so many requests were answered together, and how long their commit took.
  mutating func answered(_ count: Int, after time: Duration) {
    answered = count
    commit = time
  }

  /// Waits for those that were answered, if there were several since the last wait.
  mutating func wait(for queue: WriterQueue) {
    guard answered > 1 else { return }
    queue.gather(answered, until: .now.advanced(by: min(commit / Self.share, Self.limit)))
    answered = 0
  }
}
