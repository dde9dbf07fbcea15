/// Decides when the writer copies pages from the write-ahead log into the database.
///
/// An attempt is due when the log has grown by about 1,000 pages since the last attempt, or by 8,000 pages while several
/// requests wait, because all of them would wait for the checkpoint.
///
/// SQLite's own automatic checkpoint runs at every commit above a given size. While a reader holds the checkpoint back, each
/// attempt costs time in proportion to the length of the log: an append takes 1,693 µs in place of 49 µs.
struct CheckpointPolicy {
  private var attemptedAt = 0
  private var restartAgainAt = 0

  /// The number of pages by which the log grows between two attempts.
  static let interval = 1000
  /// The number of pages by which the log grows between two attempts while several requests wait: 32 MiB.
  ///
  /// Most bursts end before that size. A page that several commits changed is then copied only once.
  static let busyInterval = 8000
  /// The length in pages, of 4 KiB each, above which an attempt restarts the log from its beginning: 64 MiB.
  static let restartAbove = longestFile / 4096
  /// The size in bytes to which SQLite cuts the log's file when the log restarts; the rest is reused for new pages.
  static let longestFile = 64 << 20
  /// The least number of pages for which the writer runs a checkpoint when it closes.
  static let worthwhileAtClose = 100
  /// How long an attempt to restart the log waits for readers, in milliseconds.
  static let restartWaitMilliseconds: Int32 = 50

  /// Tells whether a checkpoint is due for a log of the given length; the writer asks after each commit.
  mutating func isDue(pages: Int, isBusy: Bool = false) -> Bool {
    // A log that is shorter than at the last attempt was restarted, and may become long again.
    if pages < attemptedAt {
      attemptedAt = 0
      restartAgainAt = 0
    }
    return pages >= attemptedAt + (isBusy ? Self.busyInterval : Self.interval)
  }

  /// Returns the checkpoint to run for a log of the given length, and counts it as an attempt; nil when none is due.
  mutating func next(pages: Int, isBusy: Bool = false) -> Connection.CheckpointMode? {
    guard isDue(pages: pages, isBusy: isBusy) else { return nil }
    attemptedAt = pages
    return pages > Self.restartAbove && pages >= restartAgainAt ? .restart : .passive
  }

  /// Notes that readers prevented a restart of the log, so that the next restart is tried once the log is longer by a quarter.
  mutating func restartWasBusy() {
    restartAgainAt = attemptedAt + attemptedAt / 4
  }
}
