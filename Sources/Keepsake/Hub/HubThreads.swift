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
  /// The most threads, because a file system answers several calls at once.
  package static let limit = 8
  private static let patience = Duration.seconds(10)

  private struct Job: Sendable {
    /// Jobs with the same key run one after the other, in the order in which they came.
    let key: UUID?
    let run: @Sendable () -> Void
  }

  private struct State {
    var waiting: [Job] = []
    var busy: Set<UUID> = []
    var threads = 0
    var idle = 0
    var isClosed = false
    var closing: [CheckedContinuation<Void, Never>] = []

    /// The first job whose turn it is.
    mutating func take() -> Job? {
      let found = waiting.firstIndex { $0.key.map { !busy.contains($0) } ?? true }
      guard let index = found else { return nil }
      let job = waiting.remove(at: index)
      if let key = job.key { busy.insert(key) }
      return job
    }
  }

  private let state = Monitor(State())
  /// The error for work that comes after the end.
  private let closed: KeepsakeError

  package init(closed: KeepsakeError) { self.closed = closed }

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

  /// Throws where the threads were ended.
  package func requireOpen() throws {
    if state.withLock({ $0.isClosed }) { throw closed }
  }

  /// Takes no more work, and waits for what is under way.
  package func close() async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        state.isClosed = true
        if state.threads > 0 { state.closing.append(continuation) }
        return state.threads == 0
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
      let needsThread = state.waiting.count > state.idle && state.threads < Self.limit
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
      if let key = job.key { state.withLock { _ = $0.busy.remove(key) } }
    }
  }

  /// The next job; nil when this thread has to end, which is noted then.
  private func next(waits: Bool) -> Job? {
    if waits, let job = waited() { return job }
    let (job, closing) = state.withLock { state -> (Job?, [CheckedContinuation<Void, Never>]) in
      if let job = state.take() { return (job, []) }
      state.threads -= 1
      guard state.isClosed, state.threads == 0 else { return (nil, []) }
      defer { state.closing = [] }
      return (nil, state.closing)
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
