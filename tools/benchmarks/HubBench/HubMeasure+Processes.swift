import Foundation
import Keepsake
import KeepsakeBenchReport

extension HubMeasure {
  private static let writers = 8

  static let processes = HubMeasure(
    names: ["8 processes with a session each, appends against 8 in plain C"]
  ) { shop, names in
    let store = try await shop.sharedStore()
    var sessions: [UUID] = []
    for _ in 0..<writers { sessions.append(try await store.createSession().id) }
    var comparison = Comparison()
    for _ in 0..<(shop.isQuick ? 3 : 7) {
      let ours = try HubWorker.run(.store, shop, sessions)
      let plain = try HubWorker.run(.plain, shop, sessions)
      comparison.add(ours.map(\.rate).sum, against: plain.map(\.rate).sum)
    }
    try await store.removeTemporary()
    return [Row(names[0], comparison, unit: "appends/s", goal: .ratioAtLeast(0.7))]
  }

  static let oneSession = HubMeasure(
    names: ["8 processes with one session, appends against one process's"]
  ) { shop, names in
    var comparison = Comparison()
    for _ in 0..<(shop.isQuick ? 3 : 7) {
      let one = try await appends(shop, 1)
      comparison.add(try await appends(shop, writers), against: one)
    }
    return [Row(names[0], comparison, unit: "appends/s", goal: .ratioAtLeast(0.3))]
  }

  /// The appends a second of processes that write to one new session, which has to have them all afterwards.
  private static func appends(_ shop: HubShop, _ count: Int) async throws -> Double {
    let store = try await shop.sharedStore()
    let session = try await store.createSession()
    let workers = try HubWorker.run(.store, shop, Array(repeating: session.id, count: count))
    try await session.refresh()
    try HubWorker.check(try await session.entries.all(), of: workers)
    let versions = try await HubShop.versions(of: session.id, in: shop.hub)
    guard versions.count == workers.map(\.appends).reduce(1, +) else {
      throw KeepsakeError(.inputOutput, "The hub has another number of versions than appends.")
    }
    try await store.removeTemporary()
    return workers.map(\.rate).sum
  }
}
