import KeepsakeFiles

/// Runs requests, checkpoints and idle work on the writer's connection, on the writer's thread or a caller's thread.
///
/// Sendable without a lock of its own: only the thread that has the turn in the ``WriterQueue`` touches the state.
final class WriterLoop: @unchecked Sendable {
  let db: Connection
  let queue: WriterQueue
  let configuration: Writer.Configuration
  private let watch: LockWatch?
  private var checkpoints = CheckpointPolicy()
  private var returns = ReturnPolicy()
  /// The time at which the idle work is due; nil when there is none to do.
  private var idleAt: Instant?
  /// The number of requests since the last check whether idle work presses.
  private var servedSinceLook = 0
  /// The requests that ran and are not answered yet, each with its error.
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
    // A short-lived process copies its log into the database if nobody is in the way. Below this size the checkpoint would cost
    // more than the writes, and is left to the next process. The log is cut as well, because the next process could not tell
    // which of its pages are in the database, and would read all of it and append to it.
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
    // The commit is durable, so the lock is released before the callers are answered: a process may be waiting, and waking a
    // task takes longer than releasing.
    release()
    answer()
  }

  private func serveUnderLock() {
    do {
      try requireInPlace()
    } catch {
      return queue.failAll(error)
    }
    // Requests are taken only now, so that withdrawn requests are left out, and requests that came during the wait are
    // included.
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

  /// Keeps the answer to a request until ``answer()`` gives it, after the lock is released.
  func ran(_ request: WriterRequest, _ error: (any Error)?) {
    unanswered.append((request, error))
  }

  private func answer() {
    for (request, error) in unanswered { request.finish(error) }
    unanswered.removeAll(keepingCapacity: true)
  }

  /// Throws if the lock's file or the database is no longer the one at its path.
  ///
  /// A lock on a replaced file excludes nobody, and nobody will read a replaced database again.
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
    // The watch serves only while this thread waits in `lock()` and touches nothing.
    try watch.during(serve: { [self] in serveAndRelease() }) { try lock.lock() }
  }

  private func release() {
    do {
      try configuration.lock?.unlock()
    } catch {
      // If the system can't release the lock, only the end of this process will. New requests fail, so that the failure is
      // noticed while all other processes are kept out.
      queue.failAll(error, forGood: .closed)
    }
  }
}

// MARK: - Callers that are alone

extension WriterLoop {
  /// Runs the work of a single request on the thread of its caller; does nothing while another process has the lock.
  ///
  /// A caller does not wait for the lock. Switching to the writer's thread and back would take a quarter as long as a commit.
  func serveCaller(_ work: () throws -> Void) throws {
    defer {
      queue.leave(idleAt: idleAt, isCheckpointDue: checkpoints.isDue(pages: db.walPages))
    }
    guard try configuration.lock?.tryLock() ?? true else { return }
    defer { release() }
    try requireInPlace()
    defer { armIdleWork() }
    try work()
  }
}

// MARK: - Checkpoints

extension WriterLoop {
  /// Runs a checkpoint if one is due, under the lock, after answering the requests that are committed.
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
      // A failed checkpoint loses nothing: everything acknowledged stays in the log.
      queue.count {
        $0.checkpoints += 1
        $0.failedCheckpoints += 1
      }
    }
  }

  /// Runs the body under the lock if the lock is free; otherwise its holder also takes care of checkpoints.
  private func ifLockIsFree(_ body: () -> Void) {
    do {
      guard try configuration.lock?.tryLock() ?? true else { return }
    } catch {
      return
    }
    defer { release() }
    // The next request gets the error.
    guard (try? requireInPlace()) != nil else { return }
    body()
  }
}

// MARK: - Idle work

extension WriterLoop {
  /// Runs some of the idle work after requests if it presses, because the writer is never idle while requests keep coming.
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
  /// The pieces of idle work after each check: about twice the work that comes meanwhile, so that the backlog shrinks.
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
