import Foundation
import Testing

@testable import Keepsake

/// A hub in a folder, and stores that share its sessions.
struct Sharers {
  let folder: HubFolder
  let stores: [Store]

  var address: HubAddress { .folder(path: folder.path) }
  var first: Store { stores[0] }
  var second: Store { stores[1] }

  /// Returns the way on which one store reaches the hub through another hub object, and the other stores reach the hub itself.
  ///
  /// - Parameters:
  ///   - store: The index of the store.
  ///   - wrap: Makes the hub object from the hub.
  static func reaching(
    _ store: Int, through wrap: @escaping @Sendable (any Hub) -> any Hub
  ) -> (HubAddress, Int) -> HubAddress {
    { address, index in
      HubAddress(address.description) { opening in
        let hub = try await address.open(opening)
        return index == store ? wrap(hub) : hub
      }
    }
  }

  /// Makes a hub and some stores that share its sessions.
  ///
  /// - Parameters:
  ///   - count: The number of the stores.
  ///   - options: The options for opening the stores.
  ///   - reaching: Gives the way on which a store reaches the hub, from the address of the hub and the index of the store.
  static func make(
    _ count: Int = 2, options: Store.Options = .withoutIndexing,
    reaching: (HubAddress, Int) -> HubAddress = { address, _ in address },
    _ body: (Sharers) async throws -> Void
  ) async throws {
    let folder = try HubFolder()
    let address = HubAddress.folder(path: folder.path)
    try await Store.makeHub(at: address)
    var stores: [Store] = []
    do {
      for index in 0..<count {
        let url = FileManager.default.temporaryDirectory
          .appending(path: "\(UUID().uuidString.lowercased()).keepsake")
        stores.append(
          try await Store(
            at: url, joining: reaching(address, index), as: .shared, options: options))
      }
      try await body(Sharers(folder: folder, stores: stores))
    } catch {
      for store in stores { try? await store.removeTemporary() }
      throw error
    }
    for store in stores { try await store.removeTemporary() }
  }

  /// Expects that no store has anything that the hub has not, and that all stores, and one that mirrors the hub, say the same.
  func requireSame(_ what: Comment = "") async throws {
    for store in stores {
      try await store.handle.refreshAll()
      let left = try store.handle.read { db in
        try (Store.waiting(in: db), db.unsent.sessions(), db.hubSessions.faulty().map(\.fault))
      }
      #expect(left.0 == 0 && left.1 == [] && left.2 == [], "\(left) \(what)")
      let report = try await store.verify(.init(readData: true))
      #expect(report.findings.filter { $0.severity != .harmless } == [], what)
    }
    let mirror = try await Store.temporary(options: .withoutIndexing)
    try await mirror.join(address)
    let sync = try await mirror.sync()
    #expect(sync.failed.isEmpty && sync.aside.isEmpty, "\(sync) \(what)")
    for store in stores {
      let difference = try await CommitPair(first: store, second: mirror).difference(isLate: true)
      #expect(difference == nil, what)
    }
    try await mirror.removeTemporary()
  }
}
