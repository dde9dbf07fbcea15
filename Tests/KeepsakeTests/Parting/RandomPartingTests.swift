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
          var inheriting: Set<UUID> = []
          for session in stores.shared {
            guard let plan = try await stores.plan(session), let parted = plan.parted else {
              continue
            }
            if try await stores.inherits(session) { inheriting.insert(parted.session) }
            inheriting.formUnion(plan.followers.map(\.session))
            let again = try #require(try await stores.plan(session)?.parted)
            #expect(try again.encoded() == parted.encoded(), told)
            let check = PartedCheck(stores: stores, session: session, plan: plan)
            for store in [stores.hub, third, stores.other] {
              let difference = try await check.difference(in: store)
              try #require(difference == nil, "\(difference ?? ""), \(told)")
            }
          }
          for store in [stores.hub, third, stores.other] {
            try await check(store, inheriting, told)
          }
        }
      } catch {
        Issue.record("\(error), \(told)")
        throw error
      }
    }
  }

  private func check(_ store: Store, _ inheriting: Set<UUID>, _ told: Comment) async throws {
    #expect(try await Self.findings(store, inheriting).isEmpty, told)
    #expect(try OtherVerifier.run(store.url).faults == "", told)
    try await store.indexForSearch()
    #expect(try await Self.findings(store, inheriting).isEmpty, told)
  }

  /// Returns what is wrong in a store.
  ///
  /// A session that shares entries of a third one counts the attachments to them as the store has them that its commit is from.
  /// Another store may have bound one more to a shared entry, or one less, and nothing counts it again there.
  private static func findings(_ store: Store, _ inheriting: Set<UUID>) async throws
    -> [VerifyReport.Finding]
  {
    let names = inheriting.map { "session \($0.uuidString.lowercased())" }
    return try await store.verify(.init(readData: true)).findings.filter {
      $0.severity != .harmless
        && !($0.what.contains(" attachments; there are ") && names.contains($0.object))
    }
  }
}
