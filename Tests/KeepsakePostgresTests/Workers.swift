import Foundation
import Keepsake

@testable import KeepsakePostgres

/// Stores that share the sessions of a database, each in a folder of its own.
struct Workers {
  let stores: [Store]

  /// Makes the hub in a database, and opens stores.
  ///
  /// - Parameters:
  ///   - count: The number of the stores.
  ///   - address: The address of the hub.
  ///   - lastGivesUp: Whether the last store gives up long before a server is back that went away, and is told that nobody knows.
  init(_ count: Int, _ address: String, lastGivesUp: Bool = false) async throws {
    try await Store.makeHub(at: .postgres(address))
    var stores: [Store] = []
    for index in 0..<count {
      let name = "\(UUID().uuidString.lowercased()).keepsake"
      let givesUp = lastGivesUp && index == count - 1
      stores.append(
        try await Store(
          at: FileManager.default.temporaryDirectory.appending(path: name),
          joining: givesUp ? Self.impatient(address) : .postgres(address), as: .shared,
          options: .init(patience: givesUp ? .milliseconds(500) : .seconds(60))))
    }
    self.stores = stores
  }

  private static func impatient(_ address: String) -> HubAddress {
    HubAddress(address) {
      try await PostgresHub.open(
        at: address, expecting: $0.id, making: $0.mayMake,
        patience: PostgresPatience(reaching: .milliseconds(500), resolving: .milliseconds(500)))
    }
  }

  func end() async throws { for store in stores { try await store.removeTemporary() } }
}
