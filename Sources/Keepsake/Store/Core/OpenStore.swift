#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Synchronization

/// An open store: its folder, its database, its artifacts, and its observers.
///
/// A process has one open store for each folder, however many handles there are, because closing a second descriptor of the
/// database would drop SQLite's locks. Each handle uses its own ``StoreHandle``.
final class OpenStore: Sendable {
  let layout: StoreLayout
  let id: UUID
  /// The options with which the store was first opened; each handle has options of its own.
  let options: Store.Options
  let database: Database
  let artifacts: Artifacts
  let observers: Observers
  let liveness: Liveness
  /// The upkeep of the folder; nil in a store that is open for reading.
  let upkeep: Upkeep?
  /// The clearing after removals; nil in a store that is open for reading.
  let clearing: ClearingWork?
  let recentEntries = RecentEntries()
  private let shared = Locked<SharedWriter?>(nil)
  private let isClosed = Atomic(false)

  init(
    layout: StoreLayout, id: UUID, options: Store.Options, database: Database, observers: Observers,
    upkeep: Upkeep? = nil, clearing: ClearingWork? = nil
  ) {
    self.layout = layout
    self.id = id
    self.options = options
    self.database = database
    self.observers = observers
    self.upkeep = upkeep
    self.clearing = clearing
    liveness = Liveness(layout)
    artifacts = Artifacts(layout, database: database, liveness: liveness)
  }

  /// The writer of a store that shares a hub's sessions; nil for any other store.
  var sharing: SharedWriter? { shared.withLock { $0 } }

  /// Has all changes of sessions go through a hub. Of several writers the first one stays, which is returned.
  func share(through writer: SharedWriter) -> SharedWriter {
    let first = shared.withLock { shared in
      let first = shared ?? writer
      shared = first
      return first
    }
    observers.watchHub()
    return first
  }

  /// Ends what ``share(through:)`` began, after what waits has been done.
  func endSharing() async {
    let writer = shared.withLock { shared in
      defer { shared = nil }
      return shared
    }
    await observers.endWatchingHub()
    await writer?.close()
  }

  func requireOpen() throws {
    if isClosed.load(ordering: .acquiring) { throw KeepsakeError.closed(layout.path) }
  }

  /// Runs the body on the calling thread in a read transaction, in which all statements see one snapshot.
  func read<Result>(_ body: (Tables) throws -> Result) throws -> Result {
    try requireOpen()
    do { return try database.read(body) } catch {
      throw KeepsakeError.wrap(error, store: layout.path)
    }
  }

  /// Runs the body on the calling thread without a transaction, so that each statement sees a snapshot of its own.
  func readEach<Result>(_ body: (Tables) throws -> Result) throws -> Result {
    try requireOpen()
    do { return try database.readEach(body) } catch {
      throw KeepsakeError.wrap(error, store: layout.path)
    }
  }

  /// Finishes the queued requests and releases every lock on the store's files.
  func suspend() async {
    await database.rest()
    liveness.end()
  }

  /// Finishes the queued requests and closes every file. A second call does nothing.
  func close() async {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    await endSharing()
    let watches = observers.close()
    await database.closeWriter()
    for watch in watches { watch.join() }
    upkeep?.close(havingKeptFiles: artifacts.hasKeptFiles) { try database.read($0) }
    database.closeReaders()
    liveness.end()
  }
}
