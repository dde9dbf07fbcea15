#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// The way of a handle into an open store, through which the handle and its sessions do everything.
///
/// Closing the handle ends all its work, whoever else has the same store open. Sessions hold a reference, so the store stays
/// open while a session exists, even after the handle itself is gone.
final class StoreHandle: Sendable {
  let store: OpenStore
  let options: Store.Options
  /// The handle's registration with the open store; nil if another owner keeps the store open.
  private let registration: StoreRegistry.Registration?
  let referenceTables = ReferenceTables()
  private let isClosed = Locked(false)

  init(
    _ store: OpenStore, options: Store.Options, registration: StoreRegistry.Registration? = nil
  ) {
    self.store = store
    self.options = options
    self.registration = registration
  }

  var layout: StoreLayout { store.layout }
  var id: UUID { store.id }
  var database: Database { store.database }
  var artifacts: Artifacts { store.artifacts }
  var observers: Observers { store.observers }

  /// Returns the present time in microseconds.
  func now() -> Int64 { options.now().microseconds }

  func requireOpen() throws {
    if isClosed.withLock({ $0 }) { throw KeepsakeError.closed(layout.path) }
  }

  /// Throws if the store is not open for writing, before bytes are taken in needlessly.
  func requireWriter() throws {
    try requireOpen()
    if database.isWritable { return }
    throw KeepsakeError(
      .readOnly,
      "Can't change the store at '\(layout.path)': it is open for reading. Open it for writing.",
      object: layout.path)
  }

  /// Records something in a session; the change may run more than once, and is durable when this returns. In a shared store the
  /// hub has it then.
  ///
  /// - Parameters:
  ///   - session: The session that the change is about.
  ///   - other: Another session that the change depends on, and does not change; nil for none.
  ///   - bytes: About how many bytes the change writes.
  ///   - isCancellable: Whether the task's cancellation stops it while it waits.
  ///   - meanwhile: A closure that runs on the caller's thread at the same time. The change may wait for it.
  ///   - body: The change. What concerns this store alone is left to ``Change/locally(_:)``.
  func write<Result: Sendable>(
    in session: UUID, and other: UUID? = nil, bytes: Int = 0, isCancellable: Bool = true,
    meanwhile: (@Sendable () -> Void)? = nil,
    _ body: @escaping @Sendable (Change) throws -> Result
  ) async throws -> Result {
    try requireWriter()
    do {
      if let sharing = store.sharing {
        meanwhile?()
        return try await sharing.write(
          in: [session] + [other].compactMap(\.self), bytes: bytes, for: self,
          isCancellable: isCancellable, body)
      }
      let request = Change.Request(handle: self, recordsInSessions: true, body: body)
      return isCancellable
        ? try await database.write(request, bytes: bytes, meanwhile: meanwhile)
        : try await database.writeUncancelled(request, bytes: bytes)
    } catch { throw KeepsakeError.wrap(error, store: layout.path) }
  }

  /// Runs a change of this store alone in the writer's next transaction; the change may run more than once, and is durable when
  /// this returns.
  ///
  /// `meanwhile` runs on the caller's thread at the same time, and the change may wait for it.
  func write<Result: Sendable>(
    bytes: Int = 0, meanwhile: (@Sendable () -> Void)? = nil,
    _ body: @escaping @Sendable (Change) throws -> Result
  ) async throws -> Result {
    try requireWriter()
    do {
      return try await database.write(
        Change.Request(handle: self, body: body), bytes: bytes, meanwhile: meanwhile)
    } catch { throw KeepsakeError.wrap(error, store: layout.path) }
  }

  /// Runs a change of this store alone, whatever becomes of the task, for endings.
  func writeUncancelled<Result: Sendable>(
    bytes: Int = 0, _ body: @escaping @Sendable (Change) throws -> Result
  ) async throws -> Result {
    try requireWriter()
    do {
      return try await database.writeUncancelled(
        Change.Request(handle: self, body: body), bytes: bytes)
    } catch { throw KeepsakeError.wrap(error, store: layout.path) }
  }

  /// Runs a change like ``write(bytes:meanwhile:_:)``, but throws `locked` at once while another process writes.
  func writeImpatiently<Result: Sendable>(
    _ body: @escaping @Sendable (Change) throws -> Result
  ) async throws -> Result {
    try requireWriter()
    do {
      return try await database.writeImpatiently(Change.Request(handle: self, body: body))
    } catch { throw KeepsakeError.wrap(error, store: layout.path) }
  }

  /// Runs a small body at once in a write transaction on this thread; nil, without running it, when somebody else writes. Blocks, also while
  /// the body waits for something, and must not be called inside of a change.
  func writeAtOnce<Result>(
    bytes: Int, _ body: (WriteTables) throws -> Result
  ) throws -> Result? {
    try requireWriter()
    return try database.writeAtOnce(bytes: bytes, body)
  }

  /// Runs a change that frees space, which on a full disk may use the room that the store keeps for deletions.
  func tidy<Result: Sendable>(
    _ body: @escaping @Sendable (Change) throws -> Result
  ) async throws -> Result {
    try requireWriter()
    do {
      return try await database.tidy(Change.Request(handle: self, body: body))
    } catch { throw KeepsakeError.wrap(error, store: layout.path) }
  }

  /// Runs the body outside a transaction, while no other process writes.
  func exclusively<Result: Sendable>(
    isTidying: Bool = false, _ body: @escaping @Sendable (Tables) throws -> Result
  ) async throws -> Result {
    try requireWriter()
    do { return try await database.exclusively(isTidying: isTidying, body) } catch {
      throw KeepsakeError.wrap(error, store: layout.path)
    }
  }

  /// Runs the body on the calling thread in a read transaction, in which all statements see one snapshot.
  func read<Result>(_ body: (Tables) throws -> Result) throws -> Result {
    try requireOpen()
    do {
      guard let stop = ReadStop.current else { return try database.read(body) }
      return try database.read(until: stop, body)
    } catch {
      throw KeepsakeError.wrap(error, store: layout.path)
    }
  }

  /// Ends this handle's work, and closes the store if no other handle has it. A second call does nothing.
  func close() async {
    isClosed.withLock { $0 = true }
    observers.endObserving(of: self)
    await registration?.close()
  }
}
