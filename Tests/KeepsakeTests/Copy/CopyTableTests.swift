import KeepsakeSQLite
import Testing

@testable import Keepsake

@Suite("What a copy has of the tables")
struct CopyTableTests {
  private static let tables: [(CopyRecord.Kind, String)] = [
    (.session, "session"), (.turn, "turn"), (.invocation, "invocation"), (.entry, "entry"),
    (.attachment, "attachment"), (.revision, "revision"), (.source, "import"),
    (.piece, "source_piece"), (.change, "change"),
  ]

  @Test(arguments: tables.indices)
  func `each column is carried, or derived again`(index: Int) async throws {
    let (kind, table) = Self.tables[index]
    try await withTemporaryStore { store in
      let columns = try store.handle.read { db in
        let find = try db.prepare(text: "SELECT name FROM pragma_table_info('\(table)')")
        var columns: Set<String> = []
        while try find.step() { columns.insert(find.text(0)) }
        return columns
      }
      let carried = Set(kind.table.columns.compactMap(\.column))
      let derived = Set(kind.table.derived)
      #expect(carried.isDisjoint(with: derived))
      #expect(carried.union(derived) == columns)
    }
  }

  @Test func `a kind keeps its code, which stores have in their lists of unsent rows`() {
    let kinds: [CopyRecord.Kind] = [
      .session, .turn, .invocation, .entry, .attachment, .revision, .source, .piece, .span,
      .change, .standing, .recognition, .saved,
    ]
    #expect(CopyRecord.Kind.allCases == kinds)
    #expect(kinds.map(\.code) == Array(0..<13))
  }

  @Test func `every table is carried, derived again, or left out on purpose`() async throws {
    let leftOut: Set<String> = [
      // Of the store itself, and of what is under way in it.
      "store", "log", "migration", "restoring", "running", "seen_file", "stream",
      "removing",
      "removed_artifact", "trace",
      "draft",
      "draft_piece", "saved",
      // A copy leaves out the tables about the hub that a store joined.
      "joined", "hub_session", "offer", "unsent", "unsent_session", "unsent_removal",
      "unsent_artifact",
      // Derived, like the tables of the search index.
      "tool_call", "derivation", "document", "entry_key", "source_artifact",
      // With the session's and the entry's record.
      "tag", "session_metadata",
      // With the import's record, and as bytes of their own.
      "source", "artifact", "blob",
    ]
    try await withTemporaryStore { store in
      let tables = try store.handle.read { db in
        let find = try db.prepare(
          "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'search%' AND name NOT LIKE 'sqlite%'"
        )
        var tables: Set<String> = []
        while try find.step() { tables.insert(find.text(0)) }
        return tables
      }
      #expect(tables.subtracting(Self.tables.map(\.1)) == leftOut)
    }
  }
}
