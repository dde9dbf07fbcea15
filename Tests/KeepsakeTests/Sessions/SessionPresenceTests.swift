import KeepsakeSQLite
import Testing

@testable import Keepsake

@Suite("Whether a session is there")
struct SessionPresenceTests {
  @Test func `the index of the list holds the sessions that lists ask for`() async throws {
    try await withTemporaryStore { store in
      let sql = try store.handle.read { db in
        try db.text("SELECT sql FROM sqlite_schema WHERE name = 'session_by_update'")
      }
      #expect(sql?.hasSuffix("WHERE \(SessionPresence.isShown)") == true)
    }
  }

  @Test func `conditions in SQL hold for the cases that they are named after`() async throws {
    try await withTemporaryStore { store in
      try store.handle.read { db in
        let find = try db.prepare(
          text: """
            WITH session (state) AS (VALUES (0), (1), (2), (3))
            SELECT state, s.\(SessionPresence.isShown), s.\(SessionPresence.isOpen) FROM session AS s
            """)
        var found: [SessionPresence: [Bool]] = [:]
        while try find.step() {
          let presence = try #require(SessionPresence(rawValue: find.int()))
          let isShown = find.bool()
          found[presence] = [isShown, find.bool()]
        }
        #expect(
          found == [
            .shown: [true, true], .importing: [false, true], .purged: [false, false],
            .restoring: [false, false],
          ])
      }
    }
  }
}
