#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

/// One request's part of a write transaction.
struct Change {
  private let transaction: Transaction
  private let clock: @Sendable () -> Date
  private let outcome = Outcome()

  /// What is to be done once it has run, collected until then.
  private final class Outcome {
    /// What it will tell.
    var events: [StoreEvent] = []
    /// How what it did to files is undone.
    var undoing: [() -> Void] = []
  }

  /// For what is no request: nobody is told of what it does.
  init(_ transaction: Transaction, now clock: @escaping @Sendable () -> Date) {
    self.transaction = transaction
    self.clock = clock
  }

  /// Runs a request, and has observers told what it did once that is durable.
  static func run<Result>(
    in transaction: Transaction, core: StoreCore, _ body: (Change) throws -> Result
  ) throws -> Result {
    let change = Change(transaction, now: core.options.now)
    do {
      let result = try body(change)
      let events = change.outcome.events
      if events.isEmpty { return result }
      let hub = core.hub
      let states = try hub.states(after: events, core: core, in: transaction.db)
      transaction.afterCommit { hub.publish(events, leaving: states) }
      return result
    } catch {
      for undo in change.outcome.undoing.reversed() { undo() }
      throw error
    }
  }

  var db: Connection { transaction.db }

  /// The time now, in microseconds.
  func now() -> Int64 { clock().microseconds }

  /// Tells observers once the transaction is durable.
  func publish(_ event: StoreEvent) { outcome.events.append(event) }

  /// Has something done before the commit, once for all who ask for it by its name; when it throws, nothing is
  /// written for any of them.
  func beforeCommit(_ name: String, _ action: @escaping @Sendable () throws -> Void) {
    transaction.beforeCommit(name, action)
  }

  /// Has something undone if the request itself fails, whose rows are then rolled back; not if the commit does, of which
  /// nobody knows what is on the disk.
  func ifItFails(_ undo: @escaping () -> Void) { outcome.undoing.append(undo) }

  func afterCommit(_ action: @escaping @Sendable () -> Void) {
    transaction.afterCommit(action)
  }
}
