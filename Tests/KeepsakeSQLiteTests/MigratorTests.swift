import KeepsakeSQLite
import Testing

struct MigratorTests {
  let folder: TemporaryFolder
  let db: Connection

  static let first = Migration(
    name: "0001-first.sql",
    sql: Array("CREATE TABLE parent (id INTEGER PRIMARY KEY, a TEXT) STRICT;".utf8))
  static let second = Migration(
    name: "0002-second.sql",
    sql: Array(
      """
      CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent (id)) STRICT;
      INSERT INTO parent (id, a) VALUES (1, 'from the second step');
      """.utf8))

  init() throws {
    folder = try TemporaryFolder()
    db = try Connection(path: folder.file("a.sqlite"), access: .create)
  }

  private func migrator(_ migrations: [Migration] = [first, second]) -> Migrator {
    Migrator(migrations, applicationID: 0x4b45_4550, now: { 1_700_000_000_000_000 })
  }

  private func error(_ body: () throws -> Void) throws -> MigrationError {
    try #require(throws: MigrationError.self, performing: body)
  }

  @Test func `an empty database gets every step`() throws {
    #expect(try migrator().check(db) == 0)
    try migrator().migrate(db)
    #expect(try migrator().check(db) == 2)
    #expect(try db.integer("PRAGMA application_id") == 0x4b45_4550)
    #expect(try db.integer("PRAGMA user_version") == 2)
    #expect(try db.integer("PRAGMA foreign_keys") == 1)
    let rows = try db.prepare("SELECT number, name, length(checksum), applied FROM migration")
    var record: [String] = []
    while try rows.step() {
      record.append("\(rows.int(0)) \(rows.text(1)) \(rows.int(2)) \(rows.int64(3))")
    }
    #expect(
      record == [
        "1 0001-first.sql 32 1700000000000000", "2 0002-second.sql 32 1700000000000000",
      ])
  }

  @Test func `migrating again changes nothing`() throws {
    try migrator().migrate(db)
    let other = try Connection(path: db.path, access: .readWrite)
    let before = try db.dataVersion()
    try migrator().migrate(other)
    #expect(try db.dataVersion() == before)
  }

  @Test func `a database of an earlier version gets only the new steps`() throws {
    try migrator([Self.first]).migrate(db)
    try db.execute("INSERT INTO parent (id, a) VALUES (7, 'kept')")
    #expect(try migrator().check(db) == 1)
    try migrator().migrate(db)
    #expect(try migrator().check(db) == 2)
    #expect(try db.integer("SELECT count(*) FROM parent") == 2)
  }

  @Test func `a newer database is refused and not changed`() throws {
    try migrator().migrate(db)
    let old = migrator([Self.first])
    let newer = MigrationError.newer(found: 2, known: 1, path: db.path)
    #expect(try error { _ = try old.check(db) } == newer)
    #expect(try error { try old.migrate(db) } == newer)
    #expect(try error { try old.recheck(db) } == newer)
    try migrator().recheck(db)
    #expect("\(newer)".contains("(schema 2; this build knows 1). Upgrade keepsake."))
    #expect(try db.integer("PRAGMA user_version") == 2)
  }

  @Test func `a step that was changed after its release is refused`() throws {
    try migrator().migrate(db)
    let changed = Migration(name: Self.first.name, sql: Self.first.sql + [UInt8(ascii: "\n")])
    let found = try error { try migrator([changed, Self.second]).migrate(db) }
    #expect(found == .changed(name: "0001-first.sql", path: db.path))
  }

  @Test(arguments: [
    "DELETE FROM migration WHERE number = 1", "DELETE FROM migration WHERE number = 2",
    "UPDATE migration SET number = 9 WHERE number = 2", "DROP TABLE migration",
    "PRAGMA user_version = 1", "PRAGMA user_version = 0",
  ])
  func `a record that contradicts itself is refused`(damage: String) throws {
    try migrator().migrate(db)
    try db.execute(damage)
    guard case .damaged = try error({ _ = try migrator().check(db) }) else {
      Issue.record("It was taken for something else")
      return
    }
  }

  @Test(arguments: [
    "CREATE TABLE theirs (a)", "PRAGMA application_id = 7", "PRAGMA user_version = 1",
  ])
  func `another program's database is refused and not changed`(sql: String) throws {
    try db.execute(sql)
    let before = try db.integer("PRAGMA schema_version")
    #expect(try error { try migrator().migrate(db) } == .notAStore(path: db.path))
    #expect(try db.integer("PRAGMA schema_version") == before)
  }

  @Test func `a step that fails is undone as a whole`() throws {
    let bad = Migration(
      name: "0002-bad.sql",
      sql: Array("CREATE TABLE half (a); INSERT INTO nowhere VALUES (1);".utf8))
    let found = try error { try migrator([Self.first, bad]).migrate(db) }
    guard case .failed(name: "0002-bad.sql", let reason) = found else {
      Issue.record("\(found)")
      return
    }
    #expect(reason.message == "no such table: nowhere")
    #expect(try db.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'half'") == 0)
    #expect(!db.isInTransaction)
    #expect(try db.integer("PRAGMA foreign_keys") == 1)
    // The step before it stays, and a mended one can follow.
    #expect(try migrator([Self.first]).check(db) == 1)
    try migrator().migrate(db)
  }

  @Test func `a step may not end its own transaction`() throws {
    let bad = Migration(name: "0001-bad.sql", sql: Array("CREATE TABLE t (a); COMMIT;".utf8))
    guard case .failed = try error({ try migrator([bad]).migrate(db) }) else {
      Issue.record("It was accepted")
      return
    }
  }

  @Test func `a step that breaks references is undone`() throws {
    let bad = Migration(
      name: "0003-bad.sql", sql: Array("INSERT INTO child (id, parent) VALUES (1, 99);".utf8))
    let found = try error { try migrator([Self.first, Self.second, bad]).migrate(db) }
    #expect(
      found == .brokenReferences(name: "0003-bad.sql", table: "child", path: db.path))
    #expect(try db.integer("SELECT count(*) FROM child") == 0)
  }

  @Test func `a step may rebuild a table that others refer to`() throws {
    try migrator().migrate(db)
    try db.execute("INSERT INTO child (id, parent) VALUES (1, 1)")
    let rebuild = Migration(
      name: "0003-rebuild.sql",
      sql: Array(
        """
        CREATE TABLE next (id INTEGER PRIMARY KEY, a TEXT NOT NULL, b INTEGER) STRICT;
        INSERT INTO next (id, a) SELECT id, a FROM parent;
        DROP TABLE parent;
        ALTER TABLE next RENAME TO parent;
        """.utf8))
    try migrator([Self.first, Self.second, rebuild]).migrate(db)
    #expect(
      try db.integer("SELECT count(*) FROM child JOIN parent ON parent.id = child.parent") == 1)
    #expect(throws: SQLiteError.self) {
      try db.execute("INSERT INTO child (id, parent) VALUES (2, 99)")
    }
  }
}
