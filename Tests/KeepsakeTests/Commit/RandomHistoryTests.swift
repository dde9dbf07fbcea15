import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

@Suite("A random history")
struct RandomHistoryTests {
  private static func setting(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }
  /// The seeds and the number of steps; others with `KEEPSAKE_HISTORIES=100 KEEPSAKE_HISTORY_STEPS=500`, say.
  private static let seeds = 1...UInt64(setting("KEEPSAKE_HISTORIES") ?? 3)
  private static let steps = setting("KEEPSAKE_HISTORY_STEPS") ?? 150

  /// The tables that a history is meant to reach.
  private static let tables = [
    "session", "session_metadata", "tag", "entry", "revision", "turn", "invocation", "attachment",
    "change", "import",
    "source", "source_piece", "saved", "tool_call", "derivation",
  ]

  @Test(arguments: seeds)
  func `a history leaves a sound store, and reaches all that it is meant to reach`(seed: UInt64)
    async throws
  {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      var history = RandomHistory(seed: seed)
      var deeds: [String] = []
      var reached: Set<String> = []
      var told: Comment { "seed \(seed):\n\(deeds.joined(separator: "\n"))" }
      for _ in 0..<Self.steps {
        do {
          deeds.append(try await history.step(on: store))
        } catch {
          Issue.record("\(error), \(told)")
          return
        }
        #expect(RandomHistory.sessions.contains(history.talks.count))
        reached.formUnion(try Self.tablesWithRows(store))
        if Self.setting("KEEPSAKE_HISTORY_EACH") != nil {
          let findings = try await Self.findings(store)
          try #require(findings.isEmpty, told)
        }
      }
      let findings = try await Self.findings(store)
      #expect(findings.isEmpty, told)
      #expect(try OtherVerifier.run(store.url).faults == "", told)
      #expect(Set(Self.tables).subtracting(reached).isEmpty, "seed \(seed)")
      let missing = RandomHistory.Step.allCases.filter { history.done[$0] == nil }
      #expect(missing.isEmpty, "seed \(seed)")

      for talk in history.talks { try await store.deleteSession(talk.session.id) }
      let left = try DeletingTests.rows(store).filter { $0.value != 0 }
      #expect(left.isEmpty, told)
    }
  }

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
