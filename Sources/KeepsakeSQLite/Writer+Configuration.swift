package import KeepsakeFiles

extension Writer {
  /// The settings of a writer: how it shares the store with other processes, and how much it writes at a time.
  package struct Configuration: Sendable {
    /// The lock for which all writers of the store queue; nil when this writer is the only one.
    package var lock: FairLock?
    /// The longest time for which a write request waits while another process holds the lock for writing.
    package var patience: Duration = .seconds(30)
    /// The most requests that share a transaction.
    package var batchRequests = 256
    /// The most bytes that share a transaction, as stated by the requests.
    package var batchBytes = 4 << 20
    /// The size in bytes below which a caller runs a request on its own thread while nobody else writes; 0 turns that off.
    package var callerBytes = 256 << 10
    /// A check, under the lock before anything is written, that the connection's files are still at their paths.
    ///
    /// All later requests fail with a ``WriterError`` that the check throws.
    package var requireInPlace: @Sendable () throws(any Error) -> Void = {}
    /// A closure that runs at the beginning of each transaction, under the lock; an error fails all requests of the
    /// transaction.
    package var prepare: @Sendable (Connection) throws -> Void
    /// The work that the writer does while it has no requests.
    package var idle: IdleWork?
    /// The room on the disk that requests which free space may use when the disk is full; nil where none is kept.
    package var reserve: Reserve?

    /// Creates a configuration; every value has a default.
    ///
    /// - Parameters:
    ///   - lock: The lock for which all writers of the store queue.
    ///   - idle: The work that the writer does while it has no requests.
    ///   - prepare: A closure that runs at the beginning of each transaction.
    package init(
      lock: FairLock? = nil, idle: IdleWork? = nil,
      prepare: @escaping @Sendable (Connection) throws -> Void = { _ in }
    ) {
      self.lock = lock
      self.idle = idle
      self.prepare = prepare
    }
  }

  /// Work that the writer does after it has been idle for a while, such as indexing.
  ///
  /// The work runs after opening and after each period of writing, in small transactions of its own, between which requests go
  /// first. It pauses while another process holds the lock.
  package struct IdleWork: Sendable {
    /// How long the writer must have been without a request before the work begins.
    package var delay: Duration
    /// Does one piece of the work in a transaction, and returns whether there is more.
    package var body: @Sendable (Transaction) throws -> Bool
    /// Whether so much work waits that some must be done even though requests never stop; nil where it can wait for ever.
    ///
    /// The writer asks after some hundred requests, so the answer should be quick.
    package var isPressing: (@Sendable (Connection) throws -> Bool)?
    /// Does a piece of other work after the last piece, under the lock and outside a transaction, and returns whether there is
    /// more.
    package var last: (@Sendable (Connection) throws -> Bool)?
    /// A closure that gets an error of the work; the work then rests until something is written again.
    package var failed: @Sendable (any Error) -> Void

    /// Creates work that is done a piece at a time.
    ///
    /// - Parameters:
    ///   - delay: How long the writer must have been without a request before the work begins.
    ///   - body: Does one piece of the work in a transaction, and returns whether there is more.
    ///   - failed: A closure that gets an error of the work.
    package init(
      after delay: Duration, _ body: @escaping @Sendable (Transaction) throws -> Bool,
      failed: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
      self.delay = delay
      self.body = body
      self.failed = failed
    }
  }

  /// Room on the disk that is kept for requests which free space.
  ///
  /// On a full disk nothing could be deleted otherwise, because a deletion has to be written to the log first.
  package struct Reserve: Sendable {
    /// Gives the room back to the disk; false where there was none.
    package var release: @Sendable () -> Bool
    /// Takes the room from the disk again, if the disk has it.
    package var renew: @Sendable () -> Void

    /// Creates a reserve from two closures.
    ///
    /// - Parameters:
    ///   - release: Gives the room back to the disk; false where there was none.
    ///   - renew: Takes the room from the disk again, if the disk has it.
    package init(
      release: @escaping @Sendable () -> Bool, renew: @escaping @Sendable () -> Void
    ) {
      self.release = release
      self.renew = renew
    }
  }

  /// Counts of the work that a writer has done since it was opened.
  package struct Statistics: Sendable, Hashable {
    /// Requests that are waiting now.
    package var waiting = 0
    /// Requests that were answered after they ran.
    package var requests = 0
    /// Transactions that were committed.
    package var commits = 0
    /// The most requests that shared a commit.
    package var largestBatch = 0
    /// Requests that ran again, each alone, because their common transaction was lost.
    package var reruns = 0
    /// Checkpoints that were tried.
    package var checkpoints = 0
    /// Checkpoints that could not finish because of readers.
    package var busyCheckpoints = 0
    /// Checkpoints that failed; the log still has everything.
    package var failedCheckpoints = 0
  }
}
