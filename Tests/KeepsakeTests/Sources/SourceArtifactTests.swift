import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

/// Base64 of imported files that the store keeps as artifacts: which are used, and what is told of damage.
@Suite("Artifacts that imported files hold")
struct SourceArtifactTests {
  /// A line with an artifact of 3000 bytes.
  private static func line(_ key: String, _ byte: UInt8) -> String {
    "\(key)|response|@" + Data(repeating: byte, count: 3000).base64EncodedString() + "\n"
  }

  private static let file =
    ImportTests.start + line("c", 1) + line("d", 2) + line("e", 1) + line("f", 1)

  /// Each artifact that a source holds, by a byte of it, and how many pieces have it.
  private static func listed(_ store: Store) throws -> [String] {
    try store.handle.read { db in
      let find = try db.prepare(
        """
        SELECT hex(substr(b.bytes, 1, 1)) || ' of ' || x.source || ': ' || x.pieces
        FROM source_artifact AS x JOIN blob AS b ON b.number = x.artifact ORDER BY 1
        """)
      var found: [String] = []
      while try find.step() { found.append(find.text(0)) }
      return found
    }
  }

  private static func change(_ store: Store, _ sql: String) async throws {
    try await store.handle.exclusively { db in
      try db.execute("PRAGMA foreign_keys = OFF")
      try db.execute(sql)
      try db.execute("PRAGMA foreign_keys = ON")
    }
  }

  @Test func `are listed once for each file, however often they stand in it`() async throws {
    try await withTemporaryStore { store in
      _ = try await store.importing(LineFormat.source(Self.file))
      #expect(try Self.listed(store) == ["01 of 1: 3", "02 of 1: 1"])
      _ = try await store.importing(
        LineFormat.source("|prompt|Else.\n" + Self.line("x", 1) + Self.line("y", 3)))
      #expect(try Self.listed(store) == ["01 of 1: 3", "01 of 2: 1", "02 of 1: 1", "03 of 2: 1"])
      #expect(try await store.verify(.init(readData: true)).findings.isEmpty)
    }
  }

  @Test func `go with the last record of a file that held them`() async throws {
    try await withTemporaryStore { store in
      let report = try await store.importing(LineFormat.source(Self.file))
      let session = try await store.session(report.sessions[0].id)
      var left = [["01 of 1: 2", "02 of 1: 1"], ["01 of 1: 2"], ["01 of 1: 1"], []]
      for position in [2, 3, 4, 5] {
        try await session.erase(position)
        #expect(try Self.listed(store) == left.removeFirst())
        #expect(
          try store.handle.read { try $0.integer("SELECT count(*) FROM artifact") }
            == Int64(Self.listed(store).count))
        #expect(try await store.verify(.init(readData: true)).isSound)
      }
    }
  }

  @Test func `are held by a file that goes until all of its pieces are gone`() async throws {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      _ = try await store.importing(LineFormat.source(Self.file))
      let source: Int64 = 1
      // As if its session had gone, with what was attached in it.
      try await Self.change(
        store,
        """
        DELETE FROM import; DELETE FROM attachment;
        UPDATE source SET owner = zeroblob(16), target = NULL
        """)
      var steps = 0
      var isDone = false
      while !isDone {
        isDone = try await store.handle.write { change in
          try RemovalStep(.source(source), limit: 1, in: change).next.isEmpty
        }
        steps += 1
        let rows = try DeletingTests.rows(store)
        #expect(rows["artifact"] == rows["source_artifact"])
        if rows["source_piece"] ?? 0 > 0 { #expect(rows["source_artifact"] == 2) }
        #expect(try store.handle.read { try $0.brokenForeignKeys() }.isEmpty)
      }
      // Seven pieces, two artifacts, and the source's own row.
      #expect(steps == 10)
      #expect(try DeletingTests.rows(store)["source"] == 0)
    }
  }

  @Test func `have other numbers in a store that takes the session over`() async throws {
    try await withTemporaryStore { store in
      let report = try await store.importing(LineFormat.source(Self.file))
      let session = try await store.session(report.sessions[0].id)
      let copy = try RecordedCopy(of: [session])
      try await withTemporaryStore { other in
        let own = try await other.createSession()
        for byte in [9, 8, 7, 2] as [UInt8] {
          try await own.attach(.init(.bytes([UInt8](repeating: byte, count: 3000))))
        }
        _ = try await other.restoring(copy)
        #expect(try await other.session(session.id).replayed() == Self.file)
        #expect(try Self.listed(other) == ["01 of 1: 3", "02 of 1: 1"])
        let texts = try other.handle.read { db in
          try db.integer("SELECT count(*) FROM source_piece WHERE spans LIKE '4,%,2'")
        }
        #expect(texts == 1)
        #expect(try await other.verify(.init(readData: true)).isSound)
      }
    }
  }

  @Test(arguments: [
    ("UPDATE source_piece SET spans = 'x' WHERE spans IS NOT NULL", "can't be read"),
    ("UPDATE source_piece SET spans = '' WHERE spans IS NOT NULL", "can't be read"),
    ("UPDATE source_piece SET spans = '1,99999,2' WHERE spans LIKE '1,%'", "outside of it"),
    (
      "UPDATE source_piece SET bytes = NULL WHERE id & 268435455 = 3", "outside of it"
    ),
    (
      "UPDATE source_piece SET spans = '99' || substr(spans, 2) WHERE spans LIKE '1,%'",
      "artifacts that are not there"
    ),
    ("DELETE FROM source_artifact WHERE artifact = 2", "not listed as used"),
    ("UPDATE source_artifact SET pieces = pieces - 1", "not listed as used"),
    ("UPDATE source_artifact SET pieces = pieces + 1", "by more of its pieces than have them"),
    (
      "INSERT INTO source_artifact (artifact, source, pieces) SELECT 3, 1, 1",
      "by more of its pieces than have them"
    ),
    ("DELETE FROM artifact WHERE number = 2", "refers to a row of artifact"),
    (
      """
      UPDATE source_piece SET spans = NULL, bytes = NULL WHERE spans LIKE '2,%'
      """, "by more of its pieces than have them"
    ),
  ])
  func `verify finds what is damaged, and nothing that reads it fails otherwise`(
    sql: String, found: String
  ) async throws {
    try await withTemporaryStore { store in
      let report = try await store.importing(LineFormat.source(Self.file))
      try await Self.change(store, sql)
      let findings = try await store.verify().findings
      #expect(findings.contains { $0.what.contains(found) }, "\(findings)")
      #expect(findings.contains { $0.severity != .harmless })
      let session = try await store.session(report.sessions[0].id)
      do { _ = try session.replayed() } catch let error as KeepsakeError {
        #expect([.damaged, .notFound].contains(error.code), "\(error)")
      }
      do { _ = try RecordedCopy(of: [session]) } catch let error as KeepsakeError {
        #expect(error.code == .damaged, "\(error)")
      }
    }
  }

  @Test(arguments: [
    ("DELETE FROM source_artifact; DELETE FROM attachment", "is not all that they hold"),
    (
      """
      DELETE FROM source_artifact WHERE artifact = 2; DELETE FROM attachment WHERE artifact = 2;
      UPDATE source_piece SET spans = 'x' WHERE spans LIKE '2,%'
      """, "can't be read"
    ),
    (
      "DELETE FROM artifact WHERE number = 2; DELETE FROM attachment WHERE artifact = 2", "refer to"
    ),
  ])
  func `a sweep refuses where files hold what is not listed, or can't be read`(
    sql: String, reason: String
  ) async throws {
    try await withTemporaryStore { store in
      _ = try await store.importing(LineFormat.source(Self.file))
      // Something else is used, and something was deleted before.
      let other = try await store.createSession()
      try await other.attach(.init(.bytes([1])))
      try await store.deleteSession(store.createSession().id)
      try await Self.change(
        store, sql + "; UPDATE session SET attachments = 0 WHERE parent IS NULL")
      let artifacts = try DeletingTests.rows(store)["artifact"]
      let error = await #expect(throws: KeepsakeError.self) {
        try await store.sweep(olderThan: .zero)
      }
      #expect(error?.code == .damaged)
      #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
      #expect(try DeletingTests.rows(store)["artifact"] == artifacts)
    }
  }
}
