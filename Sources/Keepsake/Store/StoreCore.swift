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
  private let writer: Writer?
  let liveness: Liveness
  private let isClosed = Locked(false)

  init(
    layout: StoreLayout, id: UUID, options: Store.Options, readers: ReaderPool, writer: Writer?
  ) {
    self.layout = layout
    self.id = id
    self.options = options
    self.readers = readers
    self.writer = writer
    hub = Hub()
    liveness = Liveness(layout)
    artifacts = Artifacts(layout, readers: readers, liveness: liveness)
  }

  /// The time now, in microseconds.
  func now() -> Int64 { options.now().microseconds }

  func requireWriter() throws {
    if isClosed.withLock({ $0 }) { throw KeepsakeError.closed(layout.path) }
    guard writer != nil else {
      throw KeepsakeError(
        .readOnly,
        "Can't change the store at '\(layout.path)': it is open for reading. Open it for writing.",
        object: layout.path)
    }
  }

  /// Runs a change in the writer's next transaction; it may run more than once, and is durable when this returns.
  func write<Result: Sendable>(
    bytes: Int = 0, _ body: @escaping @Sendable (Change) throws -> Result
  ) async throws -> Result {
    try requireWriter()
    guard let writer else { throw KeepsakeError.closed(layout.path) }
    do {
      return try await writer.write(bytes: bytes) { transaction in
        try body(Change(transaction, core: self))
      }
    } catch { throw KeepsakeError.wrap(error, store: layout.path) }
  }

  /// The same for endings, which the caller's cancellation does not stop.
  func writeUncancelled<Result: Sendable>(
    bytes: Int = 0, _ body: @escaping @Sendable (Change) throws -> Result
  ) async throws -> Result {
    try requireWriter()
    guard let writer else { throw KeepsakeError.closed(layout.path) }
    do {
      return try await writer.writeUncancelled(bytes: bytes) { transaction in
        try body(Change(transaction, core: self))
      }
    } catch { throw KeepsakeError.wrap(error, store: layout.path) }
  }

  /// Runs outside of any transaction, while no other process writes.
  func exclusively<Result: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Result)
    async throws -> Result
  {
    try requireWriter()
    guard let writer else { throw KeepsakeError.closed(layout.path) }
    do { return try await writer.exclusively(body) } catch {
      throw KeepsakeError.wrap(error, store: layout.path)
    }
  }

  /// Reads from one snapshot, on the calling thread.
  func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    if isClosed.withLock({ $0 }) { throw KeepsakeError.closed(layout.path) }
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
    hub.close()
    await writer?.close()
    readers.close()
    liveness.end()
  }
}

/// One request's part of a write transaction.
struct Change {
  private let transaction: Transaction
  private let core: StoreCore

  init(_ transaction: Transaction, core: StoreCore) {
    self.transaction = transaction
    self.core = core
  }

  var db: Connection { transaction.db }

  /// Tells observers once the transaction is durable.
  func publish(_ event: StoreEvent) {
    let hub = core.hub
    guard hub.isObserved else { return }
    transaction.afterCommit { hub.publish(event) }
  }

  func afterCommit(_ action: @escaping @Sendable () -> Void) {
    transaction.afterCommit(action)
  }
}
