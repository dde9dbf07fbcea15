/// When to write the log into the database: about every 1,000 pages since the last attempt, or, while several
/// write at once, whom a checkpoint would all keep waiting, every 8,000.
///
/// SQLite's own automatic checkpoint is tried at every commit above that size, and each try costs as
/// much as the log is long while a reader holds it back: 49 µs an append become 1,693 µs.
struct CheckpointPolicy {
  private var attemptedAt = 0
  private var restartAgainAt = 0

  /// Pages that the log grows between two attempts.
  static let interval = 1000
  /// The same while several write at once: 32 MiB. A burst is mostly over before; each page is then written once
  /// for all the commits that changed it.
  static let busyInterval = 8000
  /// Pages, of 4 KiB, above which the log is to be written from its beginning again: 64 MiB.
  static let restartAbove = longestFile / 4096
  /// The bytes of which the log's file may stay, for the next pages, when the log begins anew.
  static let longestFile = 64 << 20
  /// Pages that are worth a checkpoint when the writer closes.
  static let worthwhileAtClose = 100
  /// How long an attempt to restart the log waits for readers.
  static let restartWaitMilliseconds: Int32 = 50

  /// Whether there is something to be done now that the log has so many pages; to be asked after each commit.
  mutating func isDue(pages: Int, isBusy: Bool = false) -> Bool {
    // A log that is shorter was started anew. It may be longer again the next time.
    if pages < attemptedAt {
      attemptedAt = 0
      restartAgainAt = 0
    }
    return pages >= attemptedAt + (isBusy ? Self.busyInterval : Self.interval)
  }

  /// What is to be done now that the log has so many pages; counts as an attempt.
  mutating func next(pages: Int, isBusy: Bool = false) -> Connection.CheckpointMode? {
    guard isDue(pages: pages, isBusy: isBusy) else { return nil }
    attemptedAt = pages
    return pages > Self.restartAbove && pages >= restartAgainAt ? .restart : .passive
  }

  /// Notes that readers kept the log from being restarted: waiting for them again pays only once it
  /// has grown by a quarter.
  mutating func restartWasBusy() {
    restartAgainAt = attemptedAt + attemptedAt / 4
  }
}
