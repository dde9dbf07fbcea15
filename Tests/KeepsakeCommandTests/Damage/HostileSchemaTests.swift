#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @testable import KeepsakeCommand

  @Suite("A database that is somebody's program")
  struct HostileSchemaTests {
    /// What would take for ever, or take all memory, if it were run.
    private static let bomb =
      "WITH RECURSIVE bomb (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM bomb)"
    private static let huge = "length(hex(zeroblob(400000000))) > 0"

    static let changes: [(name: String, sql: String)] = [
      (
        "a view for the sessions",
        "ALTER TABLE session RENAME TO s; CREATE VIEW session AS \(bomb) SELECT s.* FROM s, bomb"
      ),
      (
        "a view for the entries",
        "ALTER TABLE entry RENAME TO e; CREATE VIEW entry AS SELECT * FROM e, e AS f, e AS g"
      ),
      (
        "a trigger that never ends",
        """
        CREATE TRIGGER t BEFORE INSERT ON entry BEGIN
          INSERT INTO log (time, event) WITH RECURSIVE bomb (x) AS
            (SELECT 1 UNION ALL SELECT x + 1 FROM bomb) SELECT x, 'x' FROM bomb;
        END
        """
      ),
      (
        "a trigger that takes things away",
        "CREATE TRIGGER t AFTER UPDATE ON session BEGIN DELETE FROM entry; END"
      ),
      (
        "a column that is computed",
        "ALTER TABLE entry ADD COLUMN more TEXT AS (hex(zeroblob(400000000))) VIRTUAL"
      ),
      (
        "a constraint that computes",
        """
        CREATE TABLE other (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL CHECK (\(huge))) STRICT;
        INSERT INTO other SELECT x.number * 1000 + y.number, x'00' FROM blob AS x, blob AS y;
        """
      ),
      ("an index that computes", "CREATE INDEX more ON log (hex(zeroblob(number * 1000000)))"),
      ("a session that is a fork of itself", loop("1")),
      ("sessions that are forks of each other", loop("CASE number WHEN 1 THEN 2 ELSE 1 END")),
      (
        "a source that begins with itself",
        "UPDATE source SET base = number, base_pieces = 1000"
      ),
      ("an application of somebody else", "PRAGMA application_id = 7"),
      ("a version that is to come", "PRAGMA user_version = 1000000"),
      ("no version", "PRAGMA user_version = 0"),
      ("a search table of another kind", "DROP TABLE search; CREATE TABLE search (text)"),
      (
        "a search table that reads the entries",
        "DROP TABLE search; CREATE VIRTUAL TABLE search USING fts5 (text, content = 'entry')"
      ),
      ("a statistic that lies", "ANALYZE; UPDATE sqlite_stat1 SET stat = '1 1 1 1'"),
    ]

    private static func loop(_ parent: String) -> String {
      """
      UPDATE session SET parent = \(parent), fork_position = 3, fork_change = 3,
        fork_head = zeroblob(32) WHERE number IN (1, 2)
      """
    }

    @Test func `E5: what somebody put into a database is not run, and ends no command`()
      async throws
    {
      let store = try await FullStore()
      defer { withExtendedLifetime(store) {} }
      let run = DamagedRun(in: store.folder.url)
      let path = store.folder.url.path
      await #expect(processExitsWith: .success, "ended by \(run.lines.last ?? "nothing")") {
        [path = path as String] in
        let run = DamagedRun(in: URL(filePath: path))
        for change in Self.changes {
          let verdict = try await run.attack(change.name) { store in
            // A computed constraint is to be there, not to be run by us.
            try FullStore.change(store.path, change.sql)
          }
          if verdict == .done { try run.note("UNFOUND \(change.name)") }
        }
        try run.note("DONE")
      }
      #expect(run.lines.last == "DONE", "ended by \(run.lines.last ?? "nothing")")
      #expect(run.lines.filter { $0.hasPrefix("UNFOUND") } == ["UNFOUND a statistic that lies"])
    }
  }
#endif
