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

  /// Collects the events and actions of a request until the request has run.
  private final class Outcome {
    /// The events to publish after the commit.
    var events: [StoreEvent] = []
    /// The actions that undo the request's changes to files.
    var undoing: [() -> Void] = []
    /// The changes of local rows that a rehearsal leaves for later.
    var later: [Local] = []
  }

  /// A change of rows that concern this store alone.
  typealias Local = @Sendable (Change) throws -> Void

  /// Tells whether all of it is rolled back at the end.
  private let isRehearsal: Bool

  /// Creates a change outside a request, whose events are not published.
  init(
    _ writing: WriteTables, now clock: @escaping @Sendable () -> Date, isRehearsal: Bool = false
  ) {
    self.writing = writing
    self.clock = clock
    self.isRehearsal = isRehearsal
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

  /// Changes rows that concern this store alone, such as drafts, the log, and the marks of what runs here.
  ///
  /// In a shared store that is done later, in the transaction that writes what the hub has taken of the rest.
  func locally(_ body: @escaping Local) throws {
    if isRehearsal { outcome.later.append(body) } else { try body(self) }
  }

  /// Adds an action to run once the transaction is durable.
  func afterCommit(_ action: @escaping @Sendable () -> Void) {
    writing.afterCommit(action)
  }

  /// Writes what changed to the log before the commit, which nobody else sees until then, so that the commit takes less time.
  func writePagesAhead() throws { try writing.writePagesAhead() }
}

extension Change {
  /// A request that a handle makes, which publishes its events to observers once the transaction is durable.
  struct Request<Result: Sendable>: WriteWork {
    let handle: StoreHandle
    /// Tells whether the body changes what sessions say, which in a shared store needs the hub.
    var recordsInSessions = false
    let body: @Sendable (Change) throws -> Result

    func run(in db: WriteTables) throws -> Result {
      if recordsInSessions, handle.database.isShared {
        throw KeepsakeError.sharedElsewhere(handle.layout.path)
      }
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

extension Change {
  /// Runs a body in a transaction that is rolled back, and returns what it would change in rows that concern this store alone.
  ///
  /// Events are dropped, and what the body changed in files is undone.
  static func rehearse<Result>(
    in writing: WriteTables, now clock: @escaping @Sendable () -> Date,
    _ body: (Change) throws -> Result
  ) throws -> (result: Result, later: [Local]) {
    let change = Change(writing, now: clock, isRehearsal: true)
    defer { for undo in change.outcome.undoing.reversed() { undo() } }
    return (try body(change), change.outcome.later)
  }
}
