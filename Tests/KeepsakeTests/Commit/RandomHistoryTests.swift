import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

@Suite(
  "A random history", .disabled(if: SharedStores.areUsed, "Stores that share hand over no commits.")
)
struct RandomHistoryTests {
  /// The tables that a history is meant to reach.
  private static let tables = [
    "session", "session_metadata", "tag", "entry", "revision", "turn", "invocation", "attachment",
    "change", "import", "source", "source_piece", "saved", "tool_call", "derivation",
  ]

  @Test(arguments: RandomHistory.seeds)
  func `a history reaches every table, and leaves a sound store, and nothing when all is deleted`(
    seed: UInt64
  ) async throws {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      var history = RandomHistory(seed: seed)
      var deeds: [String] = []
      var reached: Set<String> = []
      var told: Comment { "seed \(seed):\n\(deeds.joined(separator: "\n"))" }
      for _ in 0..<RandomHistory.steps {
        do {
          deeds.append(try await history.step(on: store))
        } catch {
          Issue.record("\(error), \(told)")
          return
        }
        try #require(RandomHistory.sessions.contains(history.talks.count), told)
        reached.formUnion(try Self.tablesWithRows(store))
        if RandomHistory.setting("EACH") != nil {
          let findings = try await Self.findings(store)
          try #require(findings.isEmpty, told)
        }
      }
      let findings = try await Self.findings(store)
      #expect(findings.isEmpty, told)
      #expect(try OtherVerifier.run(store.url).faults == "", told)
      #expect(Set(Self.tables).subtracting(reached) == [], told)

      for talk in history.talks { try await store.deleteSession(talk.session.id) }
      let left = try DeletingTests.rows(store).filter { $0.value != 0 }
      #expect(left == [:], told)
    }
  }

  /// The seed says all that happens, so that what these three do, they do each time.
  @Test func `three histories do every step`() async throws {
    var done: Set<RandomHistory.Step> = []
    for seed in UInt64(1)...3 {
      try await withTemporaryStore(options: .withoutIndexing) { store in
        var history = RandomHistory(seed: seed)
        for _ in 0..<150 { _ = try await history.step(on: store) }
        done.formUnion(history.done.keys)
      }
    }
    #expect(Set(RandomHistory.Step.allCases).subtracting(done) == [])
  }

  @Test func `the seed decides what each step does`() async throws {
    var deeds: [[String]] = []
    for _ in 0..<2 {
      try await withTemporaryStore(options: .withoutIndexing) { store in
        var history = RandomHistory(seed: 7)
        var done: [String] = []
        for _ in 0..<60 { done.append(try await history.step(on: store)) }
        deeds.append(done)
      }
    }
    #expect(deeds[0] == deeds[1])
  }

  /// Returns what is damaged, or derived wrongly.
  private static func findings(_ store: Store) async throws -> [VerifyReport.Finding] {
    try await store.verify(.init(readData: true)).findings.filter { $0.severity != .harmless }
  }

  private static func tablesWithRows(_ store: Store) throws -> [String] {
    try store.handle.read { db in
      try tables.filter { table in
        try db.prepare(text: "SELECT 1 FROM \(table) LIMIT 1").step()
      }
    }
  }
}
