import Foundation
import KeepsakeMigrations
import KeepsakeSQLite
import KeepsakeTestSupport
import Testing

@testable import Keepsake

/// Stores whose spans were rows of `source_span`, as they were up to schema 6.
@Suite("Spans of an older store")
struct PackedSpansTests {
  private static let older = Migrator(
    Migrations.all.prefix(6).map { Migration(name: $0.name, sql: $0.sql) },
    applicationID: StoreSchema.applicationID)

  private static func insert(
    _ spans: [SourcePiece.Span], of piece: Int64, in db: Connection
  ) throws {
    for (ordinal, span) in spans.enumerated() {
      let insert = try db.prepare(
        """
        INSERT INTO source_span (piece, position, ordinal, artifact, spelling)
        VALUES (?, ?, ?, ?, ?)
        """)
      insert.bind(piece, at: 1)
      insert.bind(span.position, at: 2)
      insert.bind(ordinal, at: 3)
      insert.bind(span.artifact, at: 4)
      insert.bind(span.spelling.rawValue, at: 5)
      try insert.run()
    }
  }

  private static func strings(_ sql: String, in db: Connection) throws -> [String] {
    let find = try db.prepare(text: sql)
    var found: [String] = []
    while try find.step() { found.append(find.text(0)) }
    return found
  }

  /// Makes a store's database what it was before schema 7.
  private static func age(_ store: URL) throws {
    let db = try Connection(path: store.appending(path: "store.sqlite").path, access: .readWrite)
    defer { db.close() }
    // The table comes before its index.
    for object in try older.schema(steps: 6).reversed() where object.table == "source_span" {
      if let sql = object.sql { try db.execute(sql) }
    }
    let find = try db.prepare("SELECT id, spans FROM source_piece WHERE spans IS NOT NULL")
    while try find.step() {
      try insert(#require(SpanText.spans(in: find.bytes(1))), of: find.int64(0), in: db)
    }
    find.reset()
    try db.execute(
      """
      DROP TABLE source_artifact;
      ALTER TABLE source_piece DROP COLUMN spans;
      ALTER TABLE source_piece DROP COLUMN size;
      \(HubTables.drop)
      DELETE FROM migration WHERE number > 6;
      PRAGMA user_version = 6;
      """)
    _ = try db.checkpoint(.truncate)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `become the text that is written for new ones`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let db = try Connection(path: ":memory:", access: .readWrite)
    defer { db.close() }
    try Self.older.migrate(db)
    try db.execute("PRAGMA foreign_keys = OFF")
    var texts: [String] = []
    var held: [String: Int] = [:]
    for number in [1, 2, 77] as [Int64] {
      try db.execute(
        "INSERT INTO source (number, format, created, size, digest) VALUES (\(number), 'x', 0, 0, x'')"
      )
      for ordinal in 0..<5 {
        let piece = PieceID.make(source: number, ordinal: ordinal)
        let spans = ordinal == 3 ? [] : try SpanTextTests.random(&generator)
        try db.execute("INSERT INTO source_piece (id, bytes) VALUES (\(piece), x'')")
        try Self.insert(spans, of: piece, in: db)
        // The last piece of all is lost, and so is the artifact of the largest number.
        if number == 77, ordinal == 4 { continue }
        texts.append(SpanText.make(spans) ?? "none")
        for artifact in Set(spans.map(\.artifact)) where artifact < 1 << 53 {
          held["\(artifact) of \(number)", default: 0] += 1
        }
      }
    }
    for artifact in [1, 2, 3, 9, 10, 7777] {
      let digest = String(repeating: "0", count: 60) + String(artifact + 1000)
      try db.execute(
        """
        INSERT INTO artifact (number, digest, size, place, created)
        VALUES (\(artifact), x'\(digest)', 0, 0, 0)
        """)
    }
    try db.execute("DELETE FROM source_piece WHERE id = \(77 << 28 | 4)")
    // Neither keeps the store from being opened.
    try StoreSchema.migrator.migrate(db)
    #expect(
      try Self.strings("SELECT coalesce(spans, 'none') FROM source_piece ORDER BY id", in: db)
        == texts)
    let listed = try Self.strings(
      "SELECT artifact || ' of ' || source || ' in ' || pieces FROM source_artifact", in: db)
    #expect(listed.sorted() == held.map { "\($0.key) in \($0.value)" }.sorted())
  }

  @Test func `are there when it is opened, and its files are given back`() async throws {
    let folder = try TestFolder()
    let first = try await Store(at: folder.store)
    let again = "d|response|@" + ImportTests.picture.base64EncodedString() + "\n"
    let file = ImportTests.drawn + again + "e|prompt|More.\n"
    let report = try await first.importing(LineFormat.source(file))
    await first.close()
    try Self.age(folder.store)

    // Whoever only reads does not change it.
    var reading = Store.Options()
    reading.access = .readOnly
    let error = await #expect(throws: KeepsakeError.self) {
      try await Store(at: folder.store, options: reading)
    }
    #expect(error?.message.contains("schema 6") == true, "\(error?.message ?? "")")

    let store = try await Store(at: folder.store)
    let session = try await store.session(report.sessions[0].id)
    #expect(try session.replayed() == file)
    #expect(try await store.verify(.init(readData: true)).findings.isEmpty)
    #expect(try DeletingTests.rows(store)["source_artifact"] == 1)
    try await store.deleteSession(session.id)
    #expect(try DeletingTests.rows(store)["artifact"] == 0)
    await store.close()
  }
}
