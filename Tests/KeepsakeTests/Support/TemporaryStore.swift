import Foundation
import KeepsakeTestSupport
import Testing

@testable import Keepsake

/// Makes a store in a temporary folder and removes it afterwards, whatever happens.
///
/// Nothing else is in that folder. A sweep also counts and removes what was left unfinished beside the store. In a folder that
/// all tests use, that may be a hidden folder which another test has just made and has not locked yet.
func withTemporaryStore<Result>(
  options: Store.Options = .init(), _ body: (Store) async throws -> Result
) async throws -> Result {
  try await Slots.shared.run {
    let hub = try SharedStores.areUsed ? HubFolder() : nil
    let folder = try TestFolder()
    let store = try await SharedStores.make(at: folder.store, options: options, hub)
    do {
      let result = try await body(store)
      try await store.removeTemporary()
      return result
    } catch {
      try await store.removeTemporary()
      if hub != nil, SharedStores.isRefusal(error) {
        try Test.cancel("A store that shares the sessions of a hub does not offer that.")
      }
      throw error
    }
  }
}

/// The tests of the store, run on stores that share the sessions of a hub, as `tools/histories --shared` does. What such a store does
/// not offer is passed over.
enum SharedStores {
  static let areUsed = ProcessInfo.processInfo.environment["KEEPSAKE_SHARED"] != nil

  /// Tells whether a store refused what a store that shares does not offer, or what takes its hub.
  fileprivate static func isRefusal(_ error: any Error) -> Bool {
    guard let error = error as? KeepsakeError else { return false }
    return error.message.contains("which shares the sessions of a hub")
      || error.message.contains("the folder is a cache of what a hub has")
  }

  fileprivate static func make(
    at url: URL, options: Store.Options, _ hub: HubFolder?
  ) async throws -> Store {
    guard let hub, !options.tracksChanges else { return try await Store(at: url, options: options) }
    let address = HubAddress.folder(URL(filePath: hub.path))
    try await Store.makeHub(at: address)
    return try await Store(
      at: url, joining: ExchangingHub.address(address), as: .shared, options: options)
  }
}

extension Store.Options {
  /// For tests of large texts, which would take longer to be indexed beside than all else in them.
  static var withoutIndexing: Store.Options {
    var options = Store.Options()
    options.searchDelay = nil
    return options
  }
}
