import KeepsakeFiles
import KeepsakeSQLite

/// Ends the reads of one task early, from another thread, by interrupting SQLite.
///
/// A task that runs with ``current`` set reads until somebody calls ``stop()``; then its present read and each later one throw
/// a `CancellationError`. SQLite forgets an interrupt that comes between two statements, so whoever waits for the end of the
/// task calls ``stop()`` again until it comes.
package final class ReadStop: Sendable {
  /// The stop of the present task; nil for tasks whose reads always run to their end.
  @TaskLocal package static var current: ReadStop?

  /// The connections that the task reads from now, and whether it may go on.
  private struct State {
    var isStopped = false
    var reads: [Int: Interrupter] = [:]
    var next = 0
  }

  private let state = Locked(State())

  package init() {}

  /// Tells whether ``stop()`` was called.
  package var isStopped: Bool { state.withLock { $0.isStopped } }

  /// Interrupts the task's present read, and has later ones fail at once. May be called again, from any thread.
  package func stop() {
    state.withLock { state in
      state.isStopped = true
      // Under the lock, so that no read of another task is interrupted on a connection that was given back meanwhile.
      for interrupter in state.reads.values { interrupter.interrupt() }
    }
  }

  /// Runs a read that ``stop()`` interrupts.
  func during<Result>(_ interrupter: Interrupter, _ body: () throws -> Result) throws -> Result {
    let number: Int? = state.withLock { state in
      if state.isStopped { return nil }
      state.next += 1
      state.reads[state.next] = interrupter
      return state.next
    }
    guard let number else { throw CancellationError() }
    defer { state.withLock { _ = $0.reads.removeValue(forKey: number) } }
    do { return try body() } catch {
      if isStopped { throw CancellationError() }
      throw error
    }
  }
}
