#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import KeepsakeFiles

/// Threads for work that waits for a disk or a network. The threads that all tasks share are too few to wait there.
///
/// The threads are made when there is work, and end when there was none for a while.
package final class HubThreads: Sendable {
  private static let patience = Duration.seconds(10)

  private struct Job: Sendable {
    /// Jobs with the same key run one after the other, in the order in which they came.
    let key: UUID?
    let run: @Sendable () -> Void
  }

  private struct State {
    var waiting: [Job] = []
    /// The keys of the jobs that run.
    var keys: Set<UUID> = []
    var threads = 0
    var idle = 0
    /// The number of calls whose work has begun on the thread of the caller and is not over.
    var lent = 0
    var isClosed = false
    var closing: [CheckedContinuation<Void, Never>] = []

    var isBusy: Bool { threads + lent > 0 }

    /// Takes the calls of ``HubThreads/close()`` that wait, if all work is over.
    mutating func takeClosing() -> [CheckedContinuation<Void, Never>] {
      guard isClosed, !isBusy else { return [] }
      defer { closing = [] }
      return closing
    }

    /// The first job whose turn it is.
    mutating func take() -> Job? {
      let found = waiting.firstIndex { $0.key.map { !keys.contains($0) } ?? true }
      guard let index = found else { return nil }
      let job = waiting.remove(at: index)
      if let key = job.key { keys.insert(key) }
      return job
    }
  }

  private let state = Monitor(State())
  /// The error for work that comes after the end.
  private let closed: KeepsakeError
  /// The most threads.
  private let limit: Int
  private let loan: ThreadLoan

  /// Creates the threads of a hub.
  /// - Parameters:
  ///   - closed: The error for work that comes after the end.
  ///   - limit: The most threads, because a file system, or a server, answers several calls at once.
  ///   - loan: The loan of the thread on which work may begin.
  package init(closed: KeepsakeError, limit: Int = 8, loan: ThreadLoan = .ofProcess) {
    self.closed = closed
    self.limit = limit
    self.loan = loan
  }

  /// Runs a body on one of the threads. It is not stopped when the task is cancelled.
  /// - Parameters:
  ///   - key: Bodies with the same key run in turn.
  ///   - body: The work, which may block.
  /// - Returns: The result of the body.
  /// - Throws: The error of the body, or that the threads were ended.
  package func run<R: Sendable>(
    inTurn key: UUID? = nil, _ body: @escaping @Sendable () throws -> R
  ) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      let isTaken = add(Job(key: key) { continuation.resume(with: Result { try body() }) })
      if !isTaken { continuation.resume(throwing: closed) }
    }
  }

  /// Runs the beginning of some work on this thread, and the rest on one of the hub's threads.
  ///
  /// To wake another thread takes about as long as a small change, so a call that is answered soon stays on this thread. One call does so
  /// at a time, as ``ThreadLoan`` says.
  /// - Parameters:
  ///   - beginning: Work that blocks this thread, but only briefly. It runs once or not at all.
  ///   - rest: The work that is done if the beginning has no result, or did not run.
  /// - Returns: The result of the one or of the other.
  /// - Throws: The error of the work, or that the threads were ended before it began.
  @concurrent
  package func run<R: Sendable>(
    beginning: @Sendable () throws -> R?, _ rest: @escaping @Sendable () throws -> R
  ) async throws -> R {
    guard loan.begin() else { return try await run(rest) }
    if let result = try lend(beginning) { return result }
    return try await withCheckedThrowingContinuation { continuation in
      state.withLock { state in
        state.waiting.append(Job(key: nil) { continuation.resume(with: Result { try rest() }) })
        state.lent -= 1
        state.threads += 1
      }
      startThread()
    }
  }

  /// Runs a body on this thread. If the body has no result, ``close()`` still waits, for the rest of the work.
  private func lend<R>(_ body: () throws -> R?) throws -> R? {
    defer { loan.end() }
    let isOpen = state.withLock { state in
      if !state.isClosed { state.lent += 1 }
      return !state.isClosed
    }
    guard isOpen else { throw closed }
    let result = Result(catching: body)
    if case .success(nil) = result { return nil }
    let closing = state.withLock { state in
      state.lent -= 1
      return state.takeClosing()
    }
    for continuation in closing { continuation.resume() }
    return try result.get()
  }

  /// Throws where the threads were ended.
  package func requireOpen() throws {
    if state.withLock({ $0.isClosed }) { throw closed }
  }

  /// Takes no more work, and waits for what is under way.
  package func close() async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        state.isClosed = true
        if state.isBusy { state.closing.append(continuation) }
        return !state.isBusy
      }
      state.broadcast()
      if isOver { continuation.resume() }
    }
  }

  /// Takes no more work, and lets the threads end by themselves.
  package func end() {
    state.withLock { $0.isClosed = true }
    state.broadcast()
  }

  private func add(_ job: Job) -> Bool {
    let (isTaken, needsThread) = state.withLock { state in
      guard !state.isClosed else { return (false, false) }
      state.waiting.append(job)
      let needsThread = state.waiting.count > state.idle && state.threads < limit
      if needsThread { state.threads += 1 }
      return (true, needsThread)
    }
    guard isTaken else { return false }
    if needsThread { startThread() } else { state.signal() }
    return true
  }

  private func startThread() {
    do {
      _ = try WorkerThread(starting: "keepsake.hub") { [self] in work(waits: true) }
    } catch {
      // The system has no thread left. Another one of ours does the work, or else this one, which is slower and as right.
      let isLast = state.withLock { state in
        if state.threads == 1 { return true }
        state.threads -= 1
        return false
      }
      if isLast { work(waits: false) } else { state.signal() }
    }
  }

  /// Does what is to do, until nothing was for a while.
  private func work(waits: Bool) {
    while let job = next(waits: waits) {
      job.run()
      if let key = job.key { state.withLock { _ = $0.keys.remove(key) } }
    }
  }

  /// The next job; nil when this thread has to end, which is noted then.
  private func next(waits: Bool) -> Job? {
    if waits, let job = waited() { return job }
    let (job, closing) = state.withLock { state -> (Job?, [CheckedContinuation<Void, Never>]) in
      if let job = state.take() { return (job, []) }
      state.threads -= 1
      return (nil, state.takeClosing())
    }
    for continuation in closing { continuation.resume() }
    return job
  }

  /// The next job; nil when none came for a while, or none will come.
  private func waited() -> Job? {
    if let job = state.withLock({ $0.take() }) { return job }
    state.withLock { $0.idle += 1 }
    let deadline = Instant.now.advanced(by: Self.patience)
    let found = state.wait(until: deadline) { state -> Job?? in
      guard let job = state.take() else { return state.isClosed ? .some(nil) : nil }
      return .some(job)
    }
    state.withLock { $0.idle -= 1 }
    return found ?? nil
  }
}
