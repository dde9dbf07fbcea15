import KeepsakeSQLite
import Testing

@testable import Keepsake

/// In a store that joined a hub a trigger lists each row that changes, so the triggers have to be quick.
@Suite(.disabled(if: SharedStores.areUsed, "Stores that share make the list when they are opened."))
struct `The list of changed rows` {
  @Test(arguments: Set(CarriedTable.all.filter { $0.source == nil }.map(\.name)).sorted())
  func `grows by a new row without a temporary table`(table: String) async throws {
    try await expectNoTemporaryTable("INSERT INTO \(table) DEFAULT VALUES")
  }

  @Test func `grows without a temporary table when a session's chain does`() async throws {
    try await expectNoTemporaryTable("UPDATE session SET changes = changes + 1 WHERE number = 1")
  }

  private func expectNoTemporaryTable(_ sql: String) async throws {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      let codes = try await store.handle.write { change in
        try change.db.unsent.begin()
        let explain = try change.db.connection.prepare(text: "EXPLAIN \(sql)")
        var codes: [String] = []
        while try explain.step() { codes.append(explain.text(1)) }
        return codes
      }
      #expect(codes.contains("Program"))
      #expect(!codes.contains { $0.hasPrefix("OpenEphemeral") || $0 == "OpenAutoindex" })
    }
  }
}
