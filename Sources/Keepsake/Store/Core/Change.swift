#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The part of one request in a write transaction, with the events and undo actions that the request collects.
struct Change {
  private let writing: WriteTables
  private let clock: @Sendable () -> Date
  private let outcome = Outcome()

  /// Collects the events and undo actions of a request until the request has run.
  private final class Outcome {
    /// The events to publish after the commit.
    var events: [StoreEvent] = []
    /// The actions that undo the request's changes to files.
    var undoing: [() -> Void] = []
  }

  /// Creates a change outside a request, whose events are not published.
  init(_ writing: WriteTables, now clock: @escaping @Sendable () -> Date) {
    self.writing = writing
    self.clock = clock
  }

  var db: Tables { writing.tables }

  /// Returns the present time in microseconds.
  func now() -> Int64 { clock().microseconds }

  /// Adds an event that observers are told once the transaction is durable.
  func publish(_ event: StoreEvent) { outcome.events.append(event) }

  /// Adds an action to run once before the commit, however many requests add it under the same name.
  ///
  /// If the action throws, none of these requests is committed.
  func beforeCommit(_ name: String, _ action: @escaping @Sendable () throws -> Void) {
    writing.beforeCommit(name, action)
  }

  /// Adds an action that undoes a change to files if the request itself fails and its rows are rolled back.
  ///
  /// The action does not run if only the commit fails, because nobody knows then what is on the disk.
  func ifItFails(_ undo: @escaping () -> Void) { outcome.undoing.append(undo) }

  /// Adds an action to run once the transaction is durable.
  func afterCommit(_ action: @escaping @Sendable () -> Void) {
    writing.afterCommit(action)
  }
}

extension Change {
  /// A request that a handle makes, which publishes its events to observers once the transaction is durable.
  struct Request<Result: Sendable>: WriteWork {
    let handle: StoreHandle
    let body: @Sendable (Change) throws -> Result

    func run(in db: WriteTables) throws -> Result {
      let change = Change(db, now: handle.options.now)
      do {
        let result = try body(change)
        let events = change.outcome.events
        if events.isEmpty { return result }
        let observers = handle.observers
        let states = try observers.states(after: events, handle: handle, in: change.db)
        db.afterCommit { observers.publish(events, leaving: states) }
        return result
      } catch {
        for undo in change.outcome.undoing.reversed() { undo() }
        throw error
      }
    }
  }
}
