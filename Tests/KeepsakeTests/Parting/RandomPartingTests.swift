import Foundation
import Testing

@testable import Keepsake

@Suite(
  "Random histories that part",
  .disabled(if: SharedStores.areUsed, "Stores that share hand over no commits."))
struct RandomPartingTests {
  static let seeds =
    UInt64(
      RandomHistory.setting("FIRST") ?? 1)...UInt64(
      RandomHistory.setting("SEEDS") ?? 3)
  static let steps = RandomHistory.setting("STEPS") ?? 32

  /// Both stores go on from a common past. What is the other store's comes to the hub's store, to a new one, and to its own.
  @Test(arguments: seeds)
  func `what parts reads as before in each store, and is the same in all`(seed: UInt64) async throws
  {
    try await PartedStores.make(seed: seed) { stores in
      var told: Comment { "seed \(seed):\n\(stores.deeds.joined(separator: "\n"))" }
      do {
        try await stores.begin(steps: Self.steps)
        // After a few steps more of it is a fork, and after many hardly any.
        let steps = seed.isMultiple(of: 2) ? Self.steps / 2 : Self.steps / 8
        try await stores.goOnElsewhere(steps: steps)
        try await stores.goOnAtHub(steps: steps)
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

  /// Histories tell of each kind of record whether it is left out of what is ours.
  @Test func `a kind of record that is left out makes a difference`() async throws {
    var missed: Set<CopyRecord.Kind> = []
    for seed in UInt64(1)...24 where missed.count < SessionCommit.kinds.count {
      try await PartedStores.make(seed: seed) { stores in
        try await stores.begin(steps: Self.steps)
        try await stores.goOnElsewhere(steps: 20)
        try await stores.goOnAtHub(steps: seed.isMultiple(of: 2) ? 20 : 5)
        for session in stores.shared {
          guard let plan = try await stores.plan(session), let parted = plan.parted else {
            continue
          }
          let kinds = Set(parted.records.map(\.kind)).subtracting(missed)
          for kind in SessionCommit.kinds where kinds.contains(kind) {
            if try await isMissed(kind, of: plan, of: session, in: stores) { missed.insert(kind) }
          }
        }
      }
    }
    #expect(Set(SessionCommit.kinds).subtracting(missed) == [])
  }

  /// Tells whether it makes a difference that what is ours lacks a kind of record.
  private func isMissed(
    _ kind: CopyRecord.Kind, of plan: PartingPlan, of session: UUID, in stores: PartedStores
  ) async throws -> Bool {
    let parted = try #require(plan.parted)
    let lacking = PartingPlan(
      comparison: plan.comparison,
      parted: SessionCommit(
        session: parted.session, base: nil, end: parted.end,
        records: parted.records.filter { $0.kind != kind }, gone: [], erased: []),
      isFork: plan.isFork, followers: [], owedErasures: [])
    return try await withTemporaryStore(options: .withoutIndexing) { third in
      try await stores.fill(third)
      let check = PartedCheck(stores: stores, session: session, plan: lacking)
      do { return try await check.difference(in: third) != nil } catch { return true }
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
