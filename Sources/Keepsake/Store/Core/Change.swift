#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The part of one request in a write transaction, with the events and undo actions that the request collects.
struct Change {
  private let writing: WriteTables
  private let clock: @Sendable () -> Date
  private let outcome: Outcome

  /// Collects the events and actions of a request until the request has run.
  private final class Outcome {
    /// The events to publish after the commit.
    var events: [StoreEvent] = []
    /// The actions that undo the request's changes to files.
    var undoing: [() -> Void] = []
    /// Tells whether changes of local rows are left for later.
    var isRehearsal: Bool
    /// The changes of local rows that a rehearsal leaves for later.
    var later: [Local] = []

    init(isRehearsal: Bool) { self.isRehearsal = isRehearsal }
  }

  /// A change of rows that concern this store alone.
  typealias Local = @Sendable (Change) throws -> Void

  /// Creates a change outside a request, whose events are not published.
  init(
    _ writing: WriteTables, now clock: @escaping @Sendable () -> Date, isRehearsal: Bool = false
  ) {
    self.writing = writing
    self.clock = clock
    outcome = Outcome(isRehearsal: isRehearsal)
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
    if outcome.isRehearsal { outcome.later.append(body) } else { try body(self) }
  }

  /// Adds an action to run once the transaction is durable.
  func afterCommit(_ action: @escaping @Sendable () -> Void) {
    writing.afterCommit(action)
  }

  /// Has observers told of the events once the transaction is durable.
  private func tell(through handle: StoreHandle) throws {
    let events = outcome.events
    if events.isEmpty { return }
    let observers = handle.observers
    let states = try observers.states(after: events, handle: handle, in: db)
    writing.afterCommit { observers.publish(events, leaving: states) }
  }

  /// Undoes what the request did to files, once.
  private func undo() {
    for undo in outcome.undoing.reversed() { undo() }
    outcome.undoing = []
  }
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
        try change.tell(through: handle)
        return result
      } catch {
        change.undo()
        throw error
      }
    }
  }
}

extension Change {
  /// A change that was tried in a transaction. Whoever tried it ends it, either with ``undo()`` or with ``keep(for:)``.
  struct Tried {
    fileprivate let change: Change

    /// The changes of rows that concern this store alone, which the try left for later.
    var later: [Local] { change.outcome.later }

    /// Undoes what the change did to files, before its transaction is rolled back. Its events are dropped.
    func undo() { change.undo() }

    /// Does what the try left for later, and has observers told of the change once the transaction is durable.
    func keep(for handle: StoreHandle) throws {
      change.outcome.isRehearsal = false
      for local in later { try local(change) }
      try change.tell(through: handle)
    }
  }

  /// Runs a body in a transaction that may be rolled back. An error of the body undoes what it did to files.
  static func `try`<Result>(
    in writing: WriteTables, now clock: @escaping @Sendable () -> Date,
    _ body: (Change) throws -> Result
  ) throws -> (result: Result, tried: Tried) {
    let change = Change(writing, now: clock, isRehearsal: true)
    do { return (try body(change), Tried(change: change)) } catch {
      change.undo()
      throw error
    }
  }

  /// Runs a body in a transaction that is rolled back, and returns what it would change in rows that concern this store alone.
  ///
  /// Events are dropped, and what the body changed in files is undone.
  static func rehearse<Result>(
    in writing: WriteTables, now clock: @escaping @Sendable () -> Date,
    _ body: (Change) throws -> Result
  ) throws -> (result: Result, later: [Local]) {
    let (result, tried) = try Change.try(in: writing, now: clock, body)
    tried.undo()
    return (result, tried.later)
  }
}
