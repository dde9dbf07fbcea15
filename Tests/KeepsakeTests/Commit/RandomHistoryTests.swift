import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

@Suite("A random history")
struct RandomHistoryTests {
  /// The seeds and the number of steps; more of them with `KEEPSAKE_HISTORIES=20`, say.
  private static let seeds =
    1...(ProcessInfo.processInfo.environment["KEEPSAKE_HISTORIES"].flatMap { UInt64($0) } ?? 3)
  private static let steps = 150

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
      for _ in 0..<Self.steps {
        do {
          deeds.append(try await history.step(on: store))
        } catch {
          Issue.record("seed \(seed): \(error)\n\(deeds.joined(separator: "\n"))")
          return
        }
        #expect(RandomHistory.sessions.contains(history.talks.count))
        reached.formUnion(try Self.tablesWithRows(store))
      }
      let findings = try await store.verify(.init(readData: true)).findings.filter {
        $0.severity != .harmless
      }
      #expect(findings.isEmpty, "seed \(seed): \(findings)\n\(deeds.joined(separator: "\n"))")
      #expect(Set(Self.tables).subtracting(reached).isEmpty, "seed \(seed)")
      let missing = RandomHistory.Step.allCases.filter { history.done[$0] == nil }
      #expect(missing.isEmpty, "seed \(seed)")
    }
  }

  private static func tablesWithRows(_ store: Store) throws -> [String] {
    try store.handle.read { db in
      try tables.filter { table in
        try db.prepare(text: "SELECT 1 FROM \(table) LIMIT 1").step()
      }
    }
  }
}
