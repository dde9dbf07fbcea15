import Foundation
package import Keepsake

/// Stores in temporary folders that use one hub.
package enum HubStores {
  /// Makes a hub and some stores, runs a body with them, and removes the stores.
  ///
  /// - Parameters:
  ///   - address: The address of a new hub.
  ///   - ways: The way in which each store uses the hub.
  ///   - patience: How long a change waits for the hub.
  ///   - body: The work with the stores.
  package static func make(
    at address: HubAddress, _ ways: [HubMembership.Way], patience: Duration = .seconds(60),
    _ body: ([Store]) async throws -> Void
  ) async throws {
    try await Store.makeHub(at: address)
    var stores: [Store] = []
    do {
      for way in ways {
        stores.append(
          try await Store(
            at: FileManager.default.temporaryDirectory
              .appending(path: "\(UUID().uuidString.lowercased()).keepsake"),
            joining: address, as: way, options: .init(patience: patience)))
      }
      try await body(stores)
    } catch {
      for store in stores { try? await store.removeTemporary() }
      throw error
    }
    for store in stores { try await store.removeTemporary() }
  }
}
