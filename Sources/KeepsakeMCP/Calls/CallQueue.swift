import Keepsake
import KeepsakeFiles

/// Runs calls: a few at a time, with a few more waiting, each with a deadline, and each of them can be cancelled.
package final class CallQueue: Sendable {
  /// How many calls run and wait at a time, and for how long.
  package struct Limits: Sendable {
    /// Calls that run at the same time. Each may hold a connection to the database and a page of a session in memory.
    package var running = 8
    /// Calls that wait for their turn; what comes beyond is told that the server is busy.
    package var waiting = 64
    /// How long a full line is waited for, while calls still end.
    ///
    /// A client that sends two hundred quick calls at once is served, and one that sends them behind eight slow ones is told.
    package var patience: Duration = .milliseconds(100)

    package init() {}
  }

  /// Identifies a call that was submitted.
  package struct Ticket: Sendable, Hashable {
    fileprivate let number: Int
  }

  private let limits: Limits
  private let threads: CallThreads
  private let line: CallLine

  package init(_ limits: Limits = .init()) {
    self.limits = limits
    threads = CallThreads(limits.running)
    line = CallLine()
  }

  deinit { line.end() }

  /// Submits a call.
  ///
  /// - Parameters:
  ///   - call: The call.
  ///   - notify: Sends a notice of progress, on any thread; nil where there is no way for one.
  ///   - then: Gets the answer, once, on any thread; nil if the call was cancelled.
  /// - Returns: The ticket with which to cancel the call.
  @discardableResult
  package func submit(
    _ call: Call, notify: (@Sendable ([UInt8]) -> Void)? = nil,
    then: @escaping @Sendable ([UInt8]?) -> Void
  ) -> Ticket {
    let waiting = CallLine.Pending(call: call, notify: notify, then: then)
    guard let number = line.add(waiting, limits) else {
      then(call.refuse(.busy))
      return Ticket(number: 0)
    }
    startNext()
    return Ticket(number: number)
  }

  /// Ends a call without an answer. A call that has ended, or was cancelled before, is left alone.
  package func cancel(_ ticket: Ticket) {
    if let pending = line.remove(ticket.number) { pending.then(nil) }
    startNext()
  }

  /// Starts waiting calls while there is room for them.
  private func startNext() {
    while let (number, pending, stop) = line.startNext(limits) {
      let line = line
      let task = Task.detached(executorPreference: threads) { [weak self] in
        let answer = await ReadStop.$current.withValue(stop) {
          await pending.call.run { progress in line.report(progress, of: number) }
        }
        line.finish(number)?.then(answer)
        line.leave(number)
        self?.startNext()
      }
      line.note(task, of: number)
    }
  }
}
