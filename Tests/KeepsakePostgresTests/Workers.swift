import Foundation
import Keepsake
import KeepsakePostgres

/// Stores that share the sessions of a database, each in a folder of its own.
struct Workers {
  let stores: [Store]

  init(_ count: Int, _ address: String) async throws {
    try await Store.makeHub(at: .postgres(address))
    var stores: [Store] = []
    for _ in 0..<count {
      let name = "\(UUID().uuidString.lowercased()).keepsake"
      stores.append(
        try await Store(
          at: FileManager.default.temporaryDirectory.appending(path: name),
          joining: .postgres(address), as: .shared, options: .init(patience: .seconds(60))))
    }
    self.stores = stores
  }

  func end() async throws { for store in stores { try await store.removeTemporary() } }
}
