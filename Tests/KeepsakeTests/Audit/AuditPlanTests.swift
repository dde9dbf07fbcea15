import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

@Suite("How audits are looked up")
struct AuditPlanTests {
  /// What SQLite says of how it runs a statement, on a store that was analysed with nothing in it to mislead it.
  private func plan(of sql: String) async throws -> [String] {
    try await withTemporaryStore { store in
      try store.handle.database.readers.read { db in
        let explain = try db.prepare(text: "EXPLAIN QUERY PLAN " + sql)
        var plan: [String] = []
        while try explain.step() { plan.append(explain.text(3)) }
        return plan
      }
    }
  }

  @Test(arguments: [
    AttachmentReader.ofArtifact, AttachmentReader.ofTool, AttachmentReader.madeFrom,
    AttachmentReader.withInputs, AttachmentTable.shared, "a.session = ?1 ORDER BY a.number",
  ])
  func `attachments are found through an index`(condition: String) async throws {
    let plan = try await plan(of: AttachmentReader.select + condition)
    #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(plan)")
  }

  @Test(arguments: [
    AttachmentReader.ofArtifact, AttachmentReader.ofTool, AttachmentReader.inState,
    AttachmentReader.present,
  ])
  func `pages come in order, without sorting`(condition: String) async throws {
    let plan = try await plan(of: AttachmentReader.select + condition)
    #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
  }

  @Test func `24: what is awaited is found by its state`() async throws {
    let plan = try await plan(of: AttachmentReader.select + AttachmentReader.inState)
    #expect(plan.contains { $0.contains("attachment_by_state (state=? AND number<?)") }, "\(plan)")
  }

  @Test func `outputs are found by their call`() async throws {
    let plan = try await plan(of: EntryTable.callsAndOutputs)
    #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(plan)")
    #expect(plan.contains { $0.contains("entry_by_call") }, "\(plan)")
  }

  @Test func `keys are found among those of their session, or of the first entries`() async throws {
    let indexed = try await plan(of: "\(EntryKeys.indexed)")
    #expect(
      indexed.first
        == "SEARCH k USING PRIMARY KEY (session=? AND digest=? AND position>? AND position<?)")
    let waiting = try await plan(of: "\(EntryKeys.waiting)")
    #expect(waiting == ["SEARCH entry USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"])
    let first = try await plan(of: "\(SessionTable.thatBeginWithKey)")
    #expect(first.contains { $0.contains("COVERING INDEX entry_by_first_key (key=?)") })
    #expect(!(indexed + first).contains { $0.hasPrefix("SCAN") }, "\(indexed) \(first)")
  }

  @Test func `the list of artifacts goes backwards from its cursor`() async throws {
    let plan = try await plan(of: ArtifactTable.list(hasType: false))
    #expect(plan.first == "SEARCH f USING INTEGER PRIMARY KEY (rowid<?)")
    #expect(!plan.contains { $0.hasPrefix("SCAN") || $0.contains("TEMP B-TREE") }, "\(plan)")
  }

  @Test(arguments: [
    "DELETE FROM attachment WHERE number = ?", "DELETE FROM artifact WHERE number = ?",
    "DELETE FROM invocation WHERE number = ?", "DELETE FROM session WHERE number = ?",
    "DELETE FROM tag WHERE session = ?1 AND entry BETWEEN ?2 AND ?3",
    "DELETE FROM draft WHERE session = ?", "DELETE FROM import WHERE session = ?",
    "DELETE FROM source WHERE number = ?",
    "DELETE FROM seen_file WHERE import IN (SELECT number FROM import WHERE session = ?)",
  ])
  func `deleting scans nothing`(sql: String) async throws {
    let plan = try await plan(of: sql)
    #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(plan)")
  }
}
