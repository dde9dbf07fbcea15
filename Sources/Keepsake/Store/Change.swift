#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SQLite

/// One request's part of a write transaction.
struct Change {
  private let transaction: Transaction
  private let clock: @Sendable () -> Date
  private let events = Events()

  /// What it will tell, collected until it has run.
  private final class Events {
    var list: [StoreEvent] = []
  }

  /// Runs a request, and has observers told what it did once that is durable.
  static func run<Result>(
    in transaction: Transaction, core: StoreCore, _ body: (Change) throws -> Result
  ) throws -> Result {
    let change = Change(transaction: transaction, clock: core.options.now)
    let result = try body(change)
    let events = change.events.list
    if events.isEmpty { return result }
    let hub = core.hub
    let states = try hub.states(after: events, core: core, in: transaction.db)
    transaction.afterCommit { hub.publish(events, leaving: states) }
    return result
  }

  var db: Connection { transaction.db }

  /// The time now, in microseconds.
  func now() -> Int64 { clock().microseconds }

  /// Tells observers once the transaction is durable.
  func publish(_ event: StoreEvent) { events.list.append(event) }

  /// Has something done before the commit, once for all who ask for it by its name; when it throws, nothing is
  /// written for any of them.
  func beforeCommit(_ name: String, _ action: @escaping @Sendable () throws -> Void) {
    transaction.beforeCommit(name, action)
  }

  func afterCommit(_ action: @escaping @Sendable () -> Void) {
    transaction.afterCommit(action)
  }
}
