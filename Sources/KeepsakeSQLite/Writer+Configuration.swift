public import KeepsakeFiles

extension Writer {
  /// How a writer shares its store with others, and how much it does at a time.
  public struct Configuration: Sendable {
    /// The lock that all writers of the store queue for; nil when this writer is the only one.
    public var lock: FairLock?
    /// How long a request waits for the lock while another process holds it.
    public var patience: Duration = .seconds(30)
    /// The most requests that share a transaction.
    public var batchRequests = 256
    /// The most bytes, as stated by the requests, that share a transaction.
    public var batchBytes = 4 << 20
    /// The most bytes that a caller writes by itself where nobody else wants to; 0 leaves all to the writer's thread.
    public var callerBytes = 256 << 10
    /// Runs under the lock before anything is written; what it throws is the answer to all that is ever asked. It looks
    /// whether the files that the connection has open are still those that others find.
    public var requireInPlace: @Sendable () throws(any Error) -> Void = {}
    /// What runs at the beginning of each transaction, under the lock; when it throws, all requests
    /// in the transaction get that error.
    public var prepare: @Sendable (Connection) throws -> Void
    /// What the writer does when nobody wants anything.
    public var idle: IdleWork?
    /// Room that requests which free space may use when the disk is full; nil where none is kept.
    public var reserve: Reserve?

    /// A configuration; all can be left to the defaults.
    public init(
      lock: FairLock? = nil, idle: IdleWork? = nil,
      prepare: @escaping @Sendable (Connection) throws -> Void = { _ in }
    ) {
      self.lock = lock
      self.idle = idle
      self.prepare = prepare
    }
  }

  /// Work for when the writer has been idle for a while, such as indexing.
  ///
  /// It runs first after opening and again after each spell of writing, in transactions of its own
  /// between which requests go first. It gives way when another process holds the lock.
  public struct IdleWork: Sendable {
    /// How long nobody must have wanted anything.
    public var delay: Duration
    /// One piece of the work; true when there is more.
    public var body: @Sendable (Transaction) throws -> Bool
    /// Whether so much of it waits that some has to be done although others write all the time; nil where it can wait for
    /// any time. Asked now and then, and should be quick.
    public var isPressing: (@Sendable (Connection) throws -> Bool)?
    /// What is done once there is no more of that: a piece of it, under the lock and outside of any transaction; true when
    /// there is more.
    public var last: (@Sendable (Connection) throws -> Bool)?
    /// Hears of an error, after which the work rests until something is written again.
    public var failed: @Sendable (any Error) -> Void

    /// Work that starts after a delay, a piece at a time.
    public init(
      after delay: Duration, _ body: @escaping @Sendable (Transaction) throws -> Bool,
      failed: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
      self.delay = delay
      self.body = body
      self.failed = failed
    }
  }

  /// Room on the disk that is kept for requests that free space: on a full disk nothing can be removed either, because
  /// what that changes has to be written first.
  public struct Reserve: Sendable {
    /// Gives the room back to the disk; false where there was none.
    public var release: @Sendable () -> Bool
    /// Keeps the same room again, if it is still there.
    public var renew: @Sendable () -> Void

    /// Room that is given back and kept by these.
    public init(
      release: @escaping @Sendable () -> Bool, renew: @escaping @Sendable () -> Void
    ) {
      self.release = release
      self.renew = renew
    }
  }

  /// What a writer has done since it was opened.
  public struct Statistics: Sendable, Hashable {
    /// Requests that wait now.
    public var waiting = 0
    /// Requests that were answered after they ran.
    public var requests = 0
    /// Transactions that were committed.
    public var commits = 0
    /// The most requests that shared a commit.
    public var largestBatch = 0
    /// Requests that ran again alone because their common transaction was lost.
    public var reruns = 0
    /// Checkpoints that were tried.
    public var checkpoints = 0
    /// Checkpoints that could not finish because of readers.
    public var busyCheckpoints = 0
    /// Checkpoints that failed; the log still has everything.
    public var failedCheckpoints = 0
  }
}
