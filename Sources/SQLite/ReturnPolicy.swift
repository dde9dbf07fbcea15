import Files

/// How long the writer waits for those that it has just answered to come back with their next request.
///
/// Where many tasks write, the first one that is back would otherwise get a commit of its own while the
/// others queue for the next: two waits for the disk in place of one. Where a single task writes one
/// entry after the other, it is back before a sleeping thread would have woken up.
struct ReturnPolicy {
  /// As much of the time that a commit took may be spent on waiting for company.
  static let share = 4
  /// The longest wait for company.
  static let limit = Duration.milliseconds(1)
  /// How long the writer stays awake for a single task.
  static let awake = Duration.microseconds(60)
  /// A request that wakes the writer within this time would have been met by staying awake.
  static let early = Duration.microseconds(120)

  private var answered = 0
  private var commit = Duration.zero
  private var sleptAt: Instant?
  /// Staying awake was, or would have been, worth it the last time.
  private var isAwakeWorthwhile = false

  /// Notes that so many requests were answered together, and how long their commit took.
  mutating func answered(_ count: Int, after time: Duration) {
    answered = count
    commit = time
  }

  /// Waits for those that were answered, if there were any since the last wait.
  mutating func wait(for queue: WriterQueue) {
    guard answered > 0 else { return }
    let count = answered
    answered = 0
    let now = Instant.now
    if count > 1 {
      queue.gather(count, until: now.advanced(by: min(commit / Self.share, Self.limit)))
    } else {
      if isAwakeWorthwhile {
        isAwakeWorthwhile = queue.poll(until: now.advanced(by: Self.awake))
      }
      sleptAt = now
    }
  }

  /// Notes that there is something to do.
  mutating func woke() {
    guard let moment = sleptAt else { return }
    sleptAt = nil
    isAwakeWorthwhile = Instant.now - moment < Self.early
  }
}
