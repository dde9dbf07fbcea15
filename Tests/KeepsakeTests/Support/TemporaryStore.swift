import Foundation
import Keepsake
import KeepsakeTestSupport

/// Makes a store in the temporary folder and removes it afterwards, whatever happens.
func withTemporaryStore<Result>(
  options: Store.Options = .init(), _ body: (Store) async throws -> Result
) async throws -> Result {
  try await Slots.shared.run {
    let hub = try SharedStores.areUsed ? HubFolder() : nil
    let store = try await SharedStores.make(options: options, hub)
    do {
      let result = try await body(store)
      try await store.removeTemporary()
      return result
    } catch {
      try await store.removeTemporary()
      throw error
    }
  }
}

/// The tests of the store, run on stores that share the sessions of a hub: `KEEPSAKE_SHARED=1 swift test`.
///
/// What such a store does not offer fails then: searching, importing and restoring.
enum SharedStores {
  static let areUsed = ProcessInfo.processInfo.environment["KEEPSAKE_SHARED"] != nil

  fileprivate static func make(options: Store.Options, _ hub: HubFolder?) async throws -> Store {
    guard let hub else { return try await Store.temporary(options: options) }
    let address = HubAddress.folder(URL(filePath: hub.path))
    try await Store.makeHub(at: address)
    let name = "\(UUID().uuidString.lowercased()).keepsake"
    return try await Store(
      at: FileManager.default.temporaryDirectory.appending(path: name), joining: address,
      as: .shared, options: options)
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
