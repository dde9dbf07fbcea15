#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import Keepsake
import KeepsakeFiles

/// A hub in a bucket of an object store, which stores on many machines share.
///
/// A version is an object whose key is its number. It is created under the condition that nothing has that key, so that of
/// several who take one number one wins. Such an object is never deleted. Only where something in it was erased is it written
/// anew, as the same version. The layout is that of a ``FolderHub``:
///
///     hub.json                              the hub's id and format
///     session/<id>/<10^18 - version>        a version: one line that says what it is, then the commit
///     artifact/ab/<sha256>                  the bytes of an artifact
///     going/<sha256>/<id>                   the bytes of an artifact that the removal of this id is about to remove
///     feed/<peer>/<number>                  what a peer changed, which is a hint
///     note/<kind>-<id>                      a note that a store left for the others
///     proof/<id>                            what an opening proved the conditions with
///
/// An answer that is lost is no danger: the request is sent again, and what stands under the number says by its stamp whose it
/// is.
package final class ObjectHub: Hub {
  package let identity: HubIdentity
  let store: ObjectStore
  let keys: ObjectKeys
  let calls: OpenCalls
  let known: KnownVersions
  let feed: ObjectFeed
  /// Threads that read artifacts from the store's own disk.
  let threads: HubThreads

  /// The name under which this object tells others of its changes. It changes when another store has the same name.
  package var peer: HubPeer { feed.peer }
  package var feedPeer: HubPeer? { peer }

  package func assurances() async throws -> [String] {
    [
      "What the hub has taken survives what the object store promises for every object.",
      "Old versions of objects, where the bucket keeps them, keep what is erased from the hub.",
    ]
  }

  /// The hub's address.
  var address: String { identity.address }

  init(_ store: ObjectStore, id: UUID, peer: HubPeer, freshness: Duration) {
    self.store = store
    keys = ObjectKeys(store.address)
    identity = HubIdentity(id: id, address: "\(store.address)", abilities: [.hints, .metered])
    calls = OpenCalls(closed: .closedHub("\(store.address)"))
    known = KnownVersions(freshness: freshness)
    feed = ObjectFeed(store, peer: peer)
    threads = HubThreads(closed: .closedHub("\(store.address)"), limit: 4)
  }

  deinit { threads.end() }

  package func close() async {
    await calls.close()
    await threads.close()
    await store.close()
  }

  /// Runs a call to its end, unless the task was cancelled before it.
  func run<Result>(_ body: () async throws -> Result) async throws -> Result {
    try Task.checkCancellation()
    return try await calls.run(body)
  }

  /// Says an error about a session as one that a person can act on.
  func told(_ error: any Error) -> KeepsakeError {
    switch error {
    case let error as KeepsakeError: error
    case is CancellationError:
      KeepsakeError(
        .closed, "The work on the hub at '\(address)' was cancelled. Try again.", object: address,
        cause: error)
    default:
      KeepsakeError(
        .inputOutput, "The hub at '\(address)' failed: \(error)", object: address, cause: error)
    }
  }
}
