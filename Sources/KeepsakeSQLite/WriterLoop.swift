import KeepsakeFiles

/// What is done with the writer's connection, by whoever has it: the writer's thread, or a caller that is alone.
///
/// Sendable without a lock of its own: all that it has is touched only by whose turn it is in the queue.
final class WriterLoop: @unchecked Sendable {
  let db: Connection
  let queue: WriterQueue
  let configuration: Writer.Configuration
  private let watch: LockWatch?
  private var checkpoints = CheckpointPolicy()
  private var returns = ReturnPolicy()
  /// When the idle work is due; nil when there is none to do.
  private var idleAt: Instant?
  /// How many requests were served since somebody looked whether idle work presses.
  private var servedSinceLook = 0
  /// Requests that ran, each with its error.
  private var unanswered: [(request: WriterRequest, error: (any Error)?)] = []

  init(_ db: Connection, queue: WriterQueue, configuration: Writer.Configuration) {
    self.db = db
    self.queue = queue
    self.configuration = configuration
    watch = configuration.lock.map { LockWatch(queue: queue, lock: $0) }
    armIdleWork()
  }

  /// Serves requests until the writer is closed.
  func run() {
    while true {
      returns.wait(for: queue)
      switch queue.next(idleAt: idleAt) {
      case .requests: serve()
      case .checkpoint: ifLockIsFree { checkpointIfDue() }
      case .idleWork: workWhileIdle()
      case .rest:
        idleAt = nil
        queue.finishResting()
      case .close: return close()
      }
    }
  }

  private func close() {
    watch?.stop()
    // What a short-lived process has written is brought home if nobody is in the way; less than that is left to the
    // next one, because it would cost such a process more than its write. The log is cut, too: the next process does
    // not know what of it is in the database, and would read all of it and write behind it.
    if db.walPages >= CheckpointPolicy.worthwhileAtClose {
      ifLockIsFree { checkpoint(.truncate, waitingMilliseconds: 0) }
    }
    db.close()
    queue.finishClosing()
  }

  func armIdleWork() {
    idleAt = configuration.idle.map { Instant.now.advanced(by: $0.delay) }
  }
}

// MARK: - The lock

extension WriterLoop {
  private func serve() {
    do {
      try acquire()
    } catch {
      return queue.failAll(error)
    }
    serveAndRelease()
  }

  private func serveAndRelease() {
    serveUnderLock()
    // What is committed is durable, whoever has the lock: who waits for it in another process comes first, because
    // waking a task takes longer than letting go.
    release()
    answer()
  }

  private func serveUnderLock() {
    do {
      try requireInPlace()
    } catch {
      return queue.failAll(error)
    }
    // Only now: whoever gave up while we waited for the lock is gone, whoever came is here.
    let batch = queue.take(
      requests: configuration.batchRequests, bytes: configuration.batchBytes)
    guard let first = batch.first else { return }
    if first.isExclusive {
      runExclusively(first)
    } else {
      let start = Instant.now
      run(batch)
      returns.answered(batch.count, after: Instant.now - start)
      workIfPressing(after: batch.count)
      checkpointIfDue(isBusy: batch.count > 1 || !queue.isEmpty)
    }
    armIdleWork()
  }

  /// Keeps the answer to a request for when there is time.
  func ran(_ request: WriterRequest, _ error: (any Error)?) {
    unanswered.append((request, error))
  }

  private func answer() {
    for (request, error) in unanswered { request.finish(error) }
    unanswered.removeAll(keepingCapacity: true)
  }

  /// A lock on a file that is no longer the store's shuts nobody out, and the database below us may be the old one,
  /// which nobody will ever read again.
  private func requireInPlace() throws {
    do {
      guard try configuration.lock?.isStillInPlace() ?? true else {
        throw WriterError.storeReplaced
      }
      try configuration.requireInPlace()
    } catch let error as WriterError {
      queue.failAll(error, forGood: error)
      throw error
    }
  }

  private func acquire() throws {
    guard let lock = configuration.lock, let watch else { return }
    guard try !lock.tryLock() else { return }
    // Should the watch serve, then while this thread waits and touches nothing.
    try watch.during(serve: { [self] in serveAndRelease() }) { try lock.lock() }
  }

  private func release() {
    do {
      try configuration.lock?.unlock()
    } catch {
      // The system refuses to release what we hold: only our end will do that. Say so to whoever
      // comes, rather than keep all others out in silence while we go on.
      queue.failAll(error, forGood: .closed)
    }
  }
}

// MARK: - Callers that are alone

extension WriterLoop {
  /// Runs a lone request on the thread of its caller, whose turn it is; does nothing when another process has the
  /// lock, for which a caller does not wait.
  ///
  /// Two changes of threads, to the writer's and back, take a quarter as long as a commit.
  func serveCaller(_ body: (Transaction) throws -> Void) throws {
    defer {
      queue.leave(idleAt: idleAt, isCheckpointDue: checkpoints.isDue(pages: db.walPages))
    }
    guard try configuration.lock?.tryLock() ?? true else { return }
    defer { release() }
    try requireInPlace()
    defer { armIdleWork() }
    try runAlone(body)
  }
}

// MARK: - Checkpoints

extension WriterLoop {
  /// Runs under the lock, once those whose requests are committed have their answers.
  private func checkpointIfDue(isBusy: Bool = false) {
    guard let mode = checkpoints.next(pages: db.walPages, isBusy: isBusy) else { return }
    answer()
    checkpoint(mode)
  }

  private func checkpoint(
    _ mode: Connection.CheckpointMode,
    waitingMilliseconds: Int32 = CheckpointPolicy.restartWaitMilliseconds
  ) {
    do {
      let result = try db.checkpoint(mode, waitingMilliseconds: waitingMilliseconds)
      let isBusy = result.busy || result.checkpointed < result.wal
      if result.busy { checkpoints.restartWasBusy() }
      queue.count {
        $0.checkpoints += 1
        if isBusy { $0.busyCheckpoints += 1 }
      }
    } catch {
      // Nothing is lost: what is acknowledged is in the log, and stays there.
      queue.count {
        $0.checkpoints += 1
        $0.failedCheckpoints += 1
      }
    }
  }

  /// Runs the body under the lock; whoever else has that now looks after the log as well.
  private func ifLockIsFree(_ body: () -> Void) {
    do {
      guard try configuration.lock?.tryLock() ?? true else { return }
    } catch {
      return
    }
    defer { release() }
    // Whoever asks next hears of it.
    guard (try? requireInPlace()) != nil else { return }
    body()
  }
}

// MARK: - Idle work

extension WriterLoop {
  /// Where all write all the time nobody is ever idle, so those who write do some of the work, too.
  private func workIfPressing(after requests: Int) {
    guard let idle = configuration.idle, let isPressing = idle.isPressing else { return }
    servedSinceLook += requests
    guard servedSinceLook >= Self.requestsToLook else { return }
    servedSinceLook = 0
    do {
      guard try isPressing(db) else { return }
      for _ in 0..<Self.pressingPieces {
        var hasMore = false
        try inTransaction { hasMore = try idle.body($0) }
        if !hasMore { break }
      }
    } catch {
      idle.failed(error)
    }
  }

  private static let requestsToLook = 500
  /// Twice as much as comes meanwhile, so that it gets less.
  private static let pressingPieces = 4

  private func workWhileIdle() {
    guard let idle = configuration.idle else { return }
    do {
      guard try configuration.lock?.tryLock() ?? true else { return armIdleWork() }
    } catch {
      idleAt = nil
      return idle.failed(error)
    }
    defer { release() }
    do {
      try requireInPlace()
      var hasMore = false
      try inTransaction { hasMore = try idle.body($0) }
      if !hasMore, let last = idle.last { hasMore = try last(db) }
      idleAt = hasMore ? Instant.now : nil
      checkpointIfDue()
    } catch {
      idleAt = nil
      idle.failed(error)
    }
  }
}
