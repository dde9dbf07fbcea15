import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

@Suite("The schema of a store, as verify sees it")
struct SchemaTests {
  /// What somebody does to a store, what verify names then, and how bad it says that that is.
  static let changes: [(sql: String, object: String, severity: VerifyReport.Finding.Severity)] = [
    (
      "CREATE TRIGGER thief AFTER INSERT ON entry BEGIN DELETE FROM entry; END",
      "the trigger 'thief' of the table 'entry'", .damaged
    ),
    ("CREATE VIEW entries AS SELECT * FROM entry", "the view 'entries'", .damaged),
    ("CREATE TABLE extra (a)", "the table 'extra'", .damaged),
    (
      "CREATE UNIQUE INDEX extra ON entry (status, id)", "the index 'extra' of the table 'entry'",
      .damaged
    ),
    (
      "DROP INDEX attachment_by_artifact",
      "the index 'attachment_by_artifact' of the table 'attachment'", .derived
    ),
    (
      "DROP INDEX attachment_by_label", "the index 'attachment_by_label' of the table 'attachment'",
      .derived
    ),
    ("DROP TABLE search", "the table 'search'", .derived),
    ("DROP TABLE search_queue", "the table 'search_queue'", .derived),
    ("DROP TABLE log", "the table 'log'", .damaged),
    ("DROP TABLE document", "the table 'document'", .damaged),
    ("ALTER TABLE log ADD COLUMN more TEXT", "the table 'log'", .damaged),
    ("ALTER TABLE turn RENAME COLUMN detail TO words", "the table 'turn'", .damaged),
    (
      "DROP INDEX tag_by_session; CREATE INDEX tag_by_session ON tag (session)",
      "the index 'tag_by_session' of the table 'tag'", .damaged
    ),
  ]

  @Test func `E5: what somebody planted in a database or took from it is found, and named`()
    async throws
  {
    let made = try await EverythingStore()
    defer { try? made.remove() }
    #expect(
      try await TamperTests.verify(made.path).findings.filter { $0.severity != .harmless } == [])
    for change in Self.changes {
      let report = try await TamperTests.verify(made.copy(change.sql))
      let found = report.findings.first { $0.object == change.object }
      #expect(found?.severity == change.severity, "\(change.sql): \(report.findings)")
      #expect(found?.action == .moveToNewStore)
      #expect(!report.isSound)
    }
  }

  @Test func `statistics that somebody had SQLite make are harmless`() async throws {
    let made = try await EverythingStore()
    defer { try? made.remove() }
    let report = try await TamperTests.verify(made.copy("ANALYZE"))
    #expect(report.isSound)
    #expect(report.findings.contains { $0.object.contains("'sqlite_stat1'") })
  }

  @Test func `an index that was made anew and is empty is found`() async throws {
    let made = try await EverythingStore()
    defer { try? made.remove() }
    let copy = try made.copy(
      """
      DROP TABLE search;
      CREATE VIRTUAL TABLE search USING fts5 (text, content = '', tokenize = 'ascii')
      """)
    let findings = try await TamperTests.verify(copy).findings.filter { $0.severity != .harmless }
    #expect(findings.map(\.object) == ["the search index"])
    #expect(findings.first?.what.contains("are not found") == true)
  }

  @Test func `every column of whole numbers has its range`() async throws {
    let made = try await EverythingStore()
    defer { try? made.remove() }
    let stored = try made.values(
      """
      SELECT t.name || '.' || c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
      WHERE t.type = 'table' AND c.type = 'INTEGER' AND t.sql NOT LIKE 'CREATE TABLE ''search%'
      """)
    let known = NumberCheck.columns.flatMap { table, columns in
      columns.keys.map { "\(table).\($0)" }
    }
    #expect(Set(stored) == Set(known))
    #expect(stored.count > 100)
  }

  /// Just inside of what a column can hold, and just outside.
  static let limits: [(table: String, column: String, number: Int64, isRight: Bool)] = [
    ("session", "labels", 0, true), ("session", "labels", 1 << 40, true),
    ("session", "labels", 1_099_511_627_777, false), ("session", "labels", -1, false),
    ("log", "number", 1 << 53, true), ("log", "number", 9_007_199_254_740_993, false),
    ("log", "number", 0, false), ("log", "time", .min, true), ("saved", "count", .max, false),
  ]

  @Test(arguments: limits.indices)
  func `a number outside of its range is found by its column`(
    index: Int
  ) async throws {
    let (table, column, number, isRight) = Self.limits[index]
    let made = try await EverythingStore()
    defer { try? made.remove() }
    let value = number == .min ? "-9223372036854775807 - 1" : "\(number)"
    let copy = try made.copy(
      """
      INSERT OR IGNORE INTO log (number, time, event) VALUES (9, 0, 'x');
      INSERT OR IGNORE INTO saved (session, count, position, digest) VALUES (1, 1, 1, zeroblob(32));
      UPDATE \(table) SET \(column) = \(value)
        WHERE \(column) = (SELECT max(\(column)) FROM \(table))
      """)
    let findings = try await TamperTests.verify(copy).findings
    let found = findings.contains {
      $0.object == "the table '\(table)'" && $0.what.contains("'\(column)'")
        && $0.severity != .harmless
    }
    #expect(found != isRight, "\(findings)")
  }
}
