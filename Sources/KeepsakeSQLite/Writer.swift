import KeepsakeFiles

/// The one writer of a store: a connection with a thread of its own, and group commit.
///
/// Requests that wait while a commit runs share the next one, so that many tasks together are several
/// times as fast as one, and each still hears only of what is durable. A small request that comes while
/// nobody else wants anything runs where it comes from, which spares it two changes of threads; a task that writes in a
/// loop lets others have its thread now and then.
/// Between processes the lock makes writers take turns; only the writer's thread ever waits for it.
public final class Writer: Sendable {
  private let loop: WriterLoop
  private let queue: WriterQueue
  private let thread: ThreadIdentity

  /// Starts the thread and opens the connection on it; blocks until it is open, and throws what
  /// opening throws.
  public init(
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

  /// What the writer has done since it was opened.
  public var statistics: Statistics { queue.statistics }
}

// MARK: - Requests

extension Writer {
  /// Runs the body in a write transaction, and returns when that is durable.
  ///
  /// The body may run more than once, each time on a database that has nothing of its earlier runs;
  /// what it throws undoes its own work alone. `bytes` is about how much it writes. Cancellation
  /// counts until the writer takes the request: then it throws a `CancellationError` and writes
  /// nothing.
  ///
  /// `meanwhile` runs once, on the caller's thread, while the body runs on the writer's; the body may wait for what it
  /// does, so it must not wait for the writer.
  @concurrent
  public func write<R: Sendable>(
    bytes: Int = 0, meanwhile: (@Sendable () -> Void)? = nil,
    _ body: @escaping @Sendable (Transaction) throws -> R
  ) async throws -> R {
    try Task.checkCancellation()
    if meanwhile == nil {
      if queue.isPauseDue() { await Task.yield() }
      if let result = try writeHere(bytes: bytes, body) { return result }
    }
    return try await submit(WriteRequest(bytes: bytes, body), meanwhile: meanwhile)
  }

  /// As ``write(bytes:_:)``, but whatever happens to the task: for endings, which must arrive.
  @concurrent
  public func writeUncancelled<R: Sendable>(
    bytes: Int = 0, _ body: @escaping @Sendable (Transaction) throws -> R
  ) async throws -> R {
    if queue.isPauseDue() { await Task.yield() }
    if let result = try writeHere(bytes: bytes, body) { return result }
    let request = WriteRequest(bytes: bytes, body)
    return try await unsafe withUnsafeThrowingContinuation { continuation in
      unsafe request.caller = .task(continuation)
      queue.add(request)
    }
  }

  /// As ``writeUncancelled(bytes:_:)``, for what frees space: on a full disk it may use the room that is kept for that.
  @concurrent
  public func tidy<R: Sendable>(
    _ body: @escaping @Sendable (Transaction) throws -> R
  ) async throws -> R {
    let request = WriteRequest(bytes: 0, isTidying: true, body)
    return try await unsafe withUnsafeThrowingContinuation { continuation in
      unsafe request.caller = .task(continuation)
      queue.add(request)
    }
  }

  /// As ``write(bytes:_:)``, but throws ``WriterError/lockTimeout(holder:)`` at once where another process has the lock:
  /// for what can as well be done another time.
  @concurrent
  public func writeImpatiently<R: Sendable>(
    _ body: @escaping @Sendable (Transaction) throws -> R
  ) async throws -> R {
    try Task.checkCancellation()
    if let result = try writeHere(bytes: 0, body) { return result }
    return try await submit(WriteRequest(bytes: 0, isImpatient: true, body))
  }

  /// As ``write(bytes:_:)``, blocking the thread; never from inside a request.
  public func writeBlocking<R: Sendable>(
    bytes: Int = 0, _ body: @escaping @Sendable (Transaction) throws -> R
  ) throws -> R {
    preconditionOtherThread()
    if let result = try writeHere(bytes: bytes, body) { return result }
    return try submitBlocking(WriteRequest(bytes: bytes, body))
  }

  /// Runs a small request at once if nobody else wants to write; nil when it is to be submitted.
  ///
  /// It holds the thread for as long as the commit takes, and never waits for somebody else.
  private func writeHere<R>(bytes: Int, _ body: (Transaction) throws -> R) throws -> R? {
    guard bytes < loop.configuration.callerBytes, queue.enter() else { return nil }
    var result: R?
    // What it goes through from here on does not know of the result, of which it would be slower.
    try loop.serveCaller { result = try body($0) }
    return result
  }

  /// Runs the body under the lock and outside any transaction: for VACUUM, backup, and checkpoints.
  ///
  /// Requests that come later wait for it. Cancellation counts until the writer takes it. What frees space may use the
  /// room that is kept for that on a full disk, and then runs once more from its beginning.
  public func exclusively<R: Sendable>(
    isTidying: Bool = false, _ body: @escaping @Sendable (Connection) throws -> R
  ) async throws -> R {
    try await submit(
      WriteRequest(bytes: 0, isExclusive: true, isTidying: isTidying) { try body($0.db) })
  }

  /// As ``exclusively(_:)``, blocking the thread; never from inside a request.
  public func exclusivelyBlocking<R: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> R
  ) throws -> R {
    try submitBlocking(WriteRequest(bytes: 0, isExclusive: true) { try body($0.db) })
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
  /// Finishes what waits and lets go of the lock; idle work rests, too, until something is written again.
  ///
  /// Ignores cancellation.
  public func rest() async {
    await unsafe withUnsafeContinuation { continuation in
      queue.rest { unsafe continuation.resume() }
    }
  }
}

// MARK: - Closing

extension Writer {
  /// Finishes what waits and closes the connection; later requests throw ``WriterError/closed``.
  ///
  /// While another process holds the lock, this returns once nobody waits any more, and the
  /// connection closes when the lock comes. May be called again. Ignores cancellation.
  public func close() async {
    await unsafe withUnsafeContinuation { continuation in
      queue.close { unsafe continuation.resume() }
    }
  }

  /// As ``close()``, blocking the thread; never from inside a request.
  public func closeBlocking() {
    preconditionOtherThread()
    let closed = Monitor(false)
    queue.close {
      closed.withLock { $0 = true }
      closed.signal()
    }
    closed.wait { $0 ? () : nil }
  }
}
