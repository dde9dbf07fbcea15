import Synchronization

/// The loan of a thread that belongs to all tasks, to a call that blocks it for a moment.
///
/// Tasks share few threads, so one call at a time has the loan.
package final class ThreadLoan: Sendable {
  /// The loan that all hubs of a process share.
  package static let ofProcess = ThreadLoan()

  private let isTaken = Atomic(false)

  package init() {}

  /// Takes the loan; false if another call has it.
  func begin() -> Bool {
    isTaken.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged
  }

  func end() { isTaken.store(false, ordering: .releasing) }
}
