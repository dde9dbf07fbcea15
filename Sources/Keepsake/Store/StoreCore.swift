#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Files
import SQLite

/// What one open store is made of: its folders, one writer, a few readers, and who listens.
///
/// There is one per store and process, because closing a second descriptor of the database would drop SQLite's locks.
final class StoreCore: Sendable {
  let layout: StoreLayout
  let id: UUID
  let options: Store.Options
  let readers: ReaderPool
  let artifacts: Artifacts
  let hub: Hub
  /// nil in a store that is open for reading.
  let writer: Writer?
  let liveness: Liveness
  let referenceTables = ReferenceTables()
  private let isClosed = Locked(false)

  init(
    layout: StoreLayout, id: UUID, options: Store.Options, readers: ReaderPool, writer: Writer?,
    hub: Hub
  ) {
    self.layout = layout
    self.id = id
    self.options = options
    self.readers = readers
    self.writer = writer
    self.hub = hub
    liveness = Liveness(layout)
    artifacts = Artifacts(layout, readers: readers, liveness: liveness)
    hub.serve(self)
  }

  /// The time now, in microseconds.
  func now() -> Int64 { options.now().microseconds }

  func requireOpen() throws {
    if isClosed.withLock({ $0 }) { throw KeepsakeError.closed(layout.path) }
  }

  /// Refuses early what could only fail later: before bytes are taken in.
  func requireWriter() throws { _ = try openWriter() }

  private func openWriter() throws -> Writer {
    try requireOpen()
    if let writer { return writer }
    throw KeepsakeError(
      .readOnly,
      "Can't change the store at '\(layout.path)': it is open for reading. Open it for writing.",
      object: layout.path)
  }

  /// Runs a change in the writer's next transaction; it may run more than once, and is durable when this returns.
  func write<Result: Sendable>(
    bytes: Int = 0, _ body: @escaping @Sendable (Change) throws -> Result
  ) async throws -> Result {
    let writer = try openWriter()
    do {
      return try await writer.write(bytes: bytes) { try Change.run(in: $0, core: self, body) }
    } catch { throw KeepsakeError.wrap(error, store: layout.path) }
  }

  /// The same for endings, which the caller's cancellation does not stop.
  func writeUncancelled<Result: Sendable>(
    bytes: Int = 0, _ body: @escaping @Sendable (Change) throws -> Result
  ) async throws -> Result {
    let writer = try openWriter()
    do {
      return try await writer.writeUncancelled(bytes: bytes) {
        try Change.run(in: $0, core: self, body)
      }
    } catch { throw KeepsakeError.wrap(error, store: layout.path) }
  }

  /// Runs outside of any transaction, while no other process writes.
  func exclusively<Result: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Result)
    async throws -> Result
  {
    let writer = try openWriter()
    do { return try await writer.exclusively(body) } catch {
      throw KeepsakeError.wrap(error, store: layout.path)
    }
  }

  /// Reads from one snapshot, on the calling thread.
  func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try requireOpen()
    do { return try readers.read(body) } catch {
      throw KeepsakeError.wrap(error, store: layout.path)
    }
  }

  /// Finishes what is queued and lets go of every file. A second call does nothing.
  func close() async {
    let first = isClosed.withLock { closed in
      defer { closed = true }
      return !closed
    }
    guard first else { return }
    let watches = hub.close()
    await writer?.close()
    for watch in watches { watch.join() }
    readers.close()
    liveness.end()
  }
}

/// One request's part of a write transaction.
struct Change {
  private let transaction: Transaction
  private let events = Events()

  /// What it will tell, collected until it has run.
  private final class Events {
    var list: [StoreEvent] = []
  }

  /// Runs a request, and has observers told what it did once that is durable.
  static func run<Result>(
    in transaction: Transaction, core: StoreCore, _ body: (Change) throws -> Result
  ) throws -> Result {
    let change = Change(transaction: transaction)
    let result = try body(change)
    let events = change.events.list
    if events.isEmpty { return result }
    let hub = core.hub
    let states = try hub.states(of: Set(events.map(\.session)), core: core, in: transaction.db)
    transaction.afterCommit { hub.publish(events, leaving: states) }
    return result
  }

  var db: Connection { transaction.db }

  /// Tells observers once the transaction is durable.
  func publish(_ event: StoreEvent) { events.list.append(event) }

  func afterCommit(_ action: @escaping @Sendable () -> Void) {
    transaction.afterCommit(action)
  }
}
