import KeepsakeSQLite
import Testing

@testable import Keepsake

@Suite struct `What a store looks for with each look at a session of its hub` {
  @Test(arguments: [
    ("\(HubSessionTable.untold)", "hub_session_untold"),
    ("\(HubSessionTable.removed)", "hub_session_removed"),
    ("\(HubSessionTable.faulty)", "hub_session_faulty"),
  ]) func `is found by an index that has nothing else`(_ sql: String, _ index: String)
    async throws
  {
    let plan = try await withTemporaryStore { store in
      try store.handle.database.readers.read { db in
        let explain = try db.prepare(text: "EXPLAIN QUERY PLAN " + sql)
        var plan: [String] = []
        while try explain.step() { plan.append(explain.text(3)) }
        return plan
      }
    }
    #expect(plan.contains { $0.contains("USING") && $0.contains(index) }, "\(plan)")
  }
}
