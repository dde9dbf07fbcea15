#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite
import Synchronization

/// What one open store is made of: its folders, one writer, a few readers, and who listens.
///
/// There is one per store and process, however many handles there are, because closing a second descriptor of the
/// database would drop SQLite's locks. Handles go through a ``StoreCore`` of their own.
final class OpenStore: Sendable {
  let layout: StoreLayout
  let id: UUID
  /// Those that it was first opened with; each handle has its own.
  let options: Store.Options
  let readers: ReaderPool
  let artifacts: Artifacts
  let hub: Hub
  /// nil in a store that is open for reading.
  let writer: Writer?
  let liveness: Liveness
  /// nil in a store that is open for reading.
  let upkeep: Upkeep?
  /// nil in a store that is open for reading.
  let clearing: ClearingWork?
  let recentEntries = RecentEntries()
  private let isClosed = Atomic(false)

  init(
    layout: StoreLayout, id: UUID, options: Store.Options, readers: ReaderPool, writer: Writer?,
    hub: Hub, upkeep: Upkeep? = nil, clearing: ClearingWork? = nil
  ) {
    self.layout = layout
    self.id = id
    self.options = options
    self.readers = readers
    self.writer = writer
    self.hub = hub
    self.upkeep = upkeep
    self.clearing = clearing
    liveness = Liveness(layout)
    artifacts = Artifacts(layout, readers: readers, liveness: liveness)
  }

  func requireOpen() throws {
    if isClosed.load(ordering: .acquiring) { throw KeepsakeError.closed(layout.path) }
  }

  /// Reads from one snapshot, on the calling thread.
  func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try requireOpen()
    do { return try readers.read(body) } catch {
      throw KeepsakeError.wrap(error, store: layout.path)
    }
  }

  /// The same without a transaction: each statement reads from a snapshot of its own.
  func readEach<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try requireOpen()
    do { return try readers.readEach(body) } catch {
      throw KeepsakeError.wrap(error, store: layout.path)
    }
  }

  /// Finishes what is queued and lets go of every lock on a file of the store's own.
  func suspend() async {
    await writer?.rest()
    readers.rest()
    liveness.end()
  }

  /// Finishes what is queued and lets go of every file. A second call does nothing.
  func close() async {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    let watches = hub.close()
    await writer?.close()
    for watch in watches { watch.join() }
    upkeep?.close(havingKeptFiles: artifacts.hasKeptFiles) { try readers.read($0) }
    readers.close()
    liveness.end()
  }
}
