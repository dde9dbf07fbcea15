import KeepsakeFiles

/// The one writer of a store: a connection with a thread of its own, and group commit.
///
/// Requests that wait during a commit share the next commit, so that many tasks write several times as fast as one, and each is
/// answered only when its work is durable. A small request runs on the caller's thread while nobody else writes, which saves
/// two switches of threads; a task that writes in a loop yields now and then. Between processes the lock makes writers take
/// turns, and only the writer's thread waits for the lock.
package final class Writer: Sendable {
  private let loop: WriterLoop
  private let queue: WriterQueue
  private let thread: ThreadIdentity

  /// Starts the writer's thread and opens the connection on it; blocks until the connection is open.
  ///
  /// - Parameters:
  ///   - name: The name of the thread.
  ///   - configuration: The writer's settings.
  ///   - opening: A closure that opens the connection; it runs on the thread.
  /// - Throws: The error of `opening`, or of starting the thread.
  package init(
    name: String = "keepsake.writer", configuration: Configuration = Configuration(),
    opening: @escaping @Sendable () throws -> Connection
  ) throws {
    let queue = WriterQueue(patience: configuration.patience)
    let started = Monitor<Result<(WriterLoop, ThreadIdentity), any Error>?>(nil)
    _ = try WorkerThread(starting: name) {
      do {
        let loop = WriterLoop(try opening(), queue: queue, configuration: configuration)
        started.withLock { $0 = .success((loop, .current)) }
        started.signal()
        loop.run()
      } catch {
        started.withLock { $0 = .failure(error) }
        started.signal()
      }
    }
    guard let opened = started.wait(for: { $0 }) else {
      preconditionFailure("A wait without a deadline ended without an answer")
    }
    (loop, thread) = try opened.get()
    self.queue = queue
  }

  deinit {
    queue.close {}
  }

  /// Counts of the work that the writer has done since it was opened.
  package var statistics: Statistics { queue.statistics }
}

// MARK: - Requests

extension Writer {
  /// Runs the body in a write transaction, and returns when the transaction is durable.
  ///
  /// The body may run more than once, each time on a database without the changes of earlier runs. An error that the body
  /// throws undoes only the body's own changes.
  /// - Parameters:
  ///   - bytes: About how many bytes the body writes.
  ///   - meanwhile: A closure that runs once on the caller's thread while the body runs on the writer's thread. The body may
  ///     wait for it, so it must not wait for the writer.
  ///   - body: The work of the request.
  /// - Returns: The result of the body.
  /// - Throws: The error of the body; a `CancellationError` if the task was cancelled before the writer took the request, and
  ///   then nothing is written; a ``WriterError``; or an error of SQLite.
  @concurrent
  package func write<R: Sendable>(
    bytes: Int = 0, meanwhile: (@Sendable () -> Void)? = nil,
    _ body: @escaping @Sendable (Transaction) throws -> R
  ) async throws -> R {
    try Task.checkCancellation()
    if meanwhile == nil {
      await pauseIfDue()
      if let result = try writeHere(bytes: bytes, body) { return result }
    }
    return try await submit(WriteRequest(bytes: bytes, body), meanwhile: meanwhile)
  }

  /// Writes like ``write(bytes:_:)``, but ignores the task's cancellation, for endings that must be recorded.
  @concurrent
  package func writeUncancelled<R: Sendable>(
    bytes: Int = 0, _ body: @escaping @Sendable (Transaction) throws -> R
  ) async throws -> R {
    await pauseIfDue()
    if let result = try writeHere(bytes: bytes, body) { return result }
    let request = WriteRequest(bytes: bytes, body)
    return try await unsafe withUnsafeThrowingContinuation { continuation in
      unsafe request.caller = .task(continuation)
      queue.add(request)
    }
  }

  /// Writes like ``writeUncancelled(bytes:_:)``, for a body that frees space: on a full disk it may use the reserve.
  @concurrent
  package func tidy<R: Sendable>(
    _ body: @escaping @Sendable (Transaction) throws -> R
  ) async throws -> R {
    let request = WriteRequest(bytes: 0, isTidying: true, body)
    return try await unsafe withUnsafeThrowingContinuation { continuation in
      unsafe request.caller = .task(continuation)
      queue.add(request)
    }
  }

  /// Writes like ``write(bytes:_:)``, but fails at once while another process has the lock, for work that can be done later.
  ///
  /// - Parameter body: The work of the request.
  /// - Throws: ``WriterError/lockTimeout(holder:)`` while another process has the lock, or the errors of ``write(bytes:_:)``.
  @concurrent
  package func writeImpatiently<R: Sendable>(
    _ body: @escaping @Sendable (Transaction) throws -> R
  ) async throws -> R {
    try Task.checkCancellation()
    if let result = try writeHere(bytes: 0, body) { return result }
    return try await submit(WriteRequest(bytes: 0, isImpatient: true, body))
  }

  /// Writes like ``write(bytes:_:)``, but blocks the thread; it must not be called inside a request.
  package func writeBlocking<R: Sendable>(
    bytes: Int = 0, _ body: @escaping @Sendable (Transaction) throws -> R
  ) throws -> R {
    preconditionOtherThread()
    if let result = try writeHere(bytes: bytes, body) { return result }
    return try submitBlocking(WriteRequest(bytes: bytes, body))
  }

  /// Runs a small body at once in a write transaction on this thread; nil, without running it, when somebody else writes.
  ///
  /// This blocks the thread, also while the body waits for something. Whoever wants to write meanwhile waits for its end.
  package func writeAtOnce<R>(bytes: Int = 0, _ body: (Transaction) throws -> R) throws -> R? {
    preconditionOtherThread()
    return try writeHere(bytes: bytes, body)
  }

  /// Lets other tasks run if callers used their own threads for many writes in a row.
  package func pauseIfDue() async {
    if queue.isPauseDue() { await Task.yield() }
  }

  /// Runs a small request at once on this thread if nobody else wants to write; nil when the request has to be queued.
  ///
  /// This blocks the thread for the duration of the commit, and never waits for another writer.
  private func writeHere<R>(bytes: Int, _ body: (Transaction) throws -> R) throws -> R? {
    try here(bytes: bytes) { loop throws in
      var result: R?
      // The result stays in this closure, because generic code below would be slower.
      try loop.runAlone { result = try body($0) }
      return result
    }
  }

  /// Uses the connection at once on this thread, as ``writeHere(bytes:_:)`` does; nil when the request has to be queued.
  private func here<R>(bytes: Int, _ use: (WriterLoop) throws -> R?) throws -> R? {
    guard bytes < loop.configuration.callerBytes, queue.enter() else { return nil }
    var result: R?
    try loop.serveCaller { result = try use(loop) }
    return result
  }

  /// Runs the body under the lock and outside a transaction, for `VACUUM`, backups and checkpoints.
  ///
  /// Later requests wait until the body is done. The task's cancellation counts until the writer takes the request.
  /// - Parameters:
  ///   - isTidying: Whether the body frees space, so that on a full disk it may use the reserve and run again from its
  ///     beginning.
  ///   - body: The work on the connection; it must not leave a transaction open.
  /// - Returns: The result of the body.
  /// - Throws: The error of the body, a `CancellationError`, or a ``WriterError``.
  package func exclusively<R: Sendable>(
    isTidying: Bool = false, _ body: @escaping @Sendable (Connection) throws -> R
  ) async throws -> R {
    try await submit(
      WriteRequest(bytes: 0, isExclusive: true, isTidying: isTidying) { try body($0.db) })
  }

  /// Runs the body like ``exclusively(_:)``, but blocks the thread; it must not be called inside a request.
  package func exclusivelyBlocking<R: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> R
  ) throws -> R {
    try submitBlocking(WriteRequest(bytes: 0, isExclusive: true) { try body($0.db) })
  }

  /// Runs the body in a transaction that is rolled back at the end, so that nothing of it stays. No action of it runs.
  ///
  /// The body may run more than once. The task's cancellation counts until the writer takes the request.
  /// - Parameters:
  ///   - bytes: About how many bytes the body writes.
  ///   - body: The work.
  /// - Returns: The result of the body.
  @concurrent
  package func rehearse<R: Sendable>(
    bytes: Int = 0, _ body: @escaping @Sendable (Transaction) throws -> R
  ) async throws -> R {
    try Task.checkCancellation()
    await pauseIfDue()
    if let result = try here(bytes: bytes, { try $0.rehearse(body) }) { return result }
    let loop = loop
    return try await submit(
      WriteRequest(bytes: 0, isExclusive: true) { _ in try loop.rehearse(body) })
  }

  private func submit<R: Sendable>(
    _ request: WriteRequest<R>, meanwhile: (@Sendable () -> Void)? = nil
  ) async throws -> R {
    try await withTaskCancellationHandler {
      try await unsafe withUnsafeThrowingContinuation { continuation in
        unsafe request.caller = .task(continuation)
        queue.add(request)
        meanwhile?()
      }
    } onCancel: {
      queue.cancel(request)
    }
  }

  private func submitBlocking<R: Sendable>(_ request: WriteRequest<R>) throws -> R {
    preconditionOtherThread()
    let answer = Monitor<Result<R, any Error>?>(nil)
    request.caller = .thread(answer)
    queue.add(request)
    guard let result = answer.wait(for: { $0 }) else {
      preconditionFailure("A wait without a deadline ended without an answer")
    }
    return try result.get()
  }

  private func preconditionOtherThread() {
    precondition(
      thread != .current && !queue.isEntered,
      "The writer can't wait for itself: don't write inside a write")
  }
}

// MARK: - Resting

extension Writer {
  /// Finishes the waiting requests and releases the lock; idle work pauses as well, until the next write.
  ///
  /// The task's cancellation is ignored.
  package func rest() async {
    await unsafe withUnsafeContinuation { continuation in
      queue.rest { unsafe continuation.resume() }
    }
  }
}

// MARK: - Closing

extension Writer {
  /// Finishes the waiting requests and closes the connection; later requests throw ``WriterError/closed``.
  ///
  /// While another process holds the lock, this returns once no request waits, and the connection closes when the lock is free.
  /// May be called again. The task's cancellation is ignored.
  package func close() async {
    await unsafe withUnsafeContinuation { continuation in
      queue.close { unsafe continuation.resume() }
    }
  }

  /// Closes the writer like ``close()``, but blocks the thread; it must not be called inside a request.
  package func closeBlocking() {
    preconditionOtherThread()
    let closed = Monitor(false)
    queue.close {
      closed.withLock { $0 = true }
      closed.signal()
    }
    closed.wait { $0 ? () : nil }
  }
}
