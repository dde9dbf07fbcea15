#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// One handle's way into an open store: all that the handle and its sessions do goes through here, so that all of it
/// ends when the handle is closed, whoever else has the same store open.
///
/// Sessions keep it, and with it the store open, also when nobody holds the handle any more.
final class StoreCore: Sendable {
  let store: OpenStore
  let options: Store.Options
  /// The handle's share of the open store; nil where somebody else keeps that open.
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
  var readers: ReaderPool { store.readers }
  var artifacts: Artifacts { store.artifacts }
  var hub: Hub { store.hub }
  var writer: Writer? { store.writer }

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
  ///
  /// `meanwhile` runs here at the same time; the change may wait for what it does.
  func write<Result: Sendable>(
    bytes: Int = 0, meanwhile: (@Sendable () -> Void)? = nil,
    _ body: @escaping @Sendable (Change) throws -> Result
  ) async throws -> Result {
    let writer = try openWriter()
    do {
      return try await writer.write(bytes: bytes, meanwhile: meanwhile) {
        try Change.run(in: $0, core: self, body)
      }
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

  /// The same for what can as well be done later: throws `locked` at once where another process writes.
  func writeImpatiently<Result: Sendable>(
    _ body: @escaping @Sendable (Change) throws -> Result
  ) async throws -> Result {
    let writer = try openWriter()
    do {
      return try await writer.writeImpatiently { try Change.run(in: $0, core: self, body) }
    } catch { throw KeepsakeError.wrap(error, store: layout.path) }
  }

  /// The same for what frees space: on a full disk it may use the room that is kept for that.
  func tidy<Result: Sendable>(
    _ body: @escaping @Sendable (Change) throws -> Result
  ) async throws -> Result {
    let writer = try openWriter()
    do {
      return try await writer.tidy { try Change.run(in: $0, core: self, body) }
    } catch { throw KeepsakeError.wrap(error, store: layout.path) }
  }

  /// Runs outside of any transaction, while no other process writes.
  func exclusively<Result: Sendable>(
    isTidying: Bool = false, _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    let writer = try openWriter()
    do { return try await writer.exclusively(isTidying: isTidying, body) } catch {
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

  /// Ends what goes through it, and closes the store where no other handle has it. A second call does nothing.
  func close() async {
    isClosed.withLock { $0 = true }
    hub.endObserving(of: self)
    await registration?.close()
  }
}
