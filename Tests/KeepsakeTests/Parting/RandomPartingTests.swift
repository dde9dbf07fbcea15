import Foundation
import Testing

@testable import Keepsake

@Suite("Random histories that part")
struct RandomPartingTests {
  static let seeds = UInt64(RandomHistory.setting("FIRST") ?? 1)...UInt64(
    RandomHistory.setting("SEEDS") ?? 4)
  static let steps = RandomHistory.setting("STEPS") ?? 40

  /// Both stores go on from a common past. What is the other store's comes to the hub's store, to a new one, and to its own.
  @Test(arguments: seeds)
  func `what parts reads as before in each store, and is the same in all`(seed: UInt64) async throws
  {
    try await PartedStores.make(seed: seed) { stores in
      var told: Comment { "seed \(seed):\n\(stores.deeds.joined(separator: "\n"))" }
      do {
        try await stores.begin(steps: Self.steps)
        try await stores.goOnElsewhere(steps: Self.steps / 2)
        try await stores.goOnAtHub(steps: Self.steps / 2)
        try await withTemporaryStore(options: .withoutIndexing) { third in
          try await stores.fill(third)
          for session in stores.shared {
            guard let plan = try await stores.plan(session), let parted = plan.parted else {
              continue
            }
            let again = try #require(try await stores.plan(session)?.parted)
            #expect(try again.encoded() == parted.encoded(), told)
            let check = PartedCheck(stores: stores, session: session, plan: plan)
            for store in [stores.hub, third, stores.other] {
              let difference = try await check.difference(in: store)
              try #require(difference == nil, "\(difference ?? ""), \(told)")
            }
          }
          for store in [stores.hub, third, stores.other] {
            try await check(store, told)
          }
        }
      } catch {
        Issue.record("\(error), \(told)")
        throw error
      }
    }
  }

  private func check(_ store: Store, _ told: Comment) async throws {
    let findings = try await store.verify(.init(readData: true)).findings.filter {
      $0.severity != .harmless
    }
    #expect(findings.isEmpty, "\(findings), \(told)")
    #expect(try OtherVerifier.run(store.url).faults == "", told)
    try await store.indexForSearch()
    let indexed = try await store.verify().findings.filter { $0.severity != .harmless }
    #expect(indexed.isEmpty, "\(indexed), \(told)")
  }
}
