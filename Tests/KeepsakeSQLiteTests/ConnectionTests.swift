import KeepsakeFiles
import Foundation
import KeepsakeSQLite
import KeepsakeTestSupport
import Testing

struct ConnectionTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func create(_ name: String = "a.sqlite") throws -> Connection {
    try Connection(path: folder.file(name), access: .create)
  }

  @Test func `a new database has the settings that the store relies on`() throws {
    let db = try create()
    #expect(try db.integer("PRAGMA page_size") == 4096)
    #expect(try db.text("PRAGMA journal_mode") == "wal")
    #expect(try db.integer("PRAGMA synchronous") == 2)
    #expect(try db.integer("PRAGMA wal_autocheckpoint") == 0)
    #expect(try db.integer("PRAGMA foreign_keys") == 1)
    #expect(try db.integer("PRAGMA trusted_schema") == 0)
    #expect(try db.integer("PRAGMA cell_size_check") == 1)
    #expect(try db.integer("PRAGMA mmap_size") ?? 0 == 0)
    #expect(try db.integer("PRAGMA secure_delete") == 1)
    #expect(try db.integer("PRAGMA temp_store") == 2)
    #expect(try db.integer("PRAGMA cache_size") == -8000)
    #expect(try db.integer("PRAGMA busy_timeout") == 5000)
    #expect(try db.integer("PRAGMA query_only") == 0)
  }

  @Test(arguments: [Connection.Access.readWrite, .readOnly, .readOnlyUntouched])
  func `a missing file is refused and not made`(access: Connection.Access) throws {
    let error = try #require(throws: SQLiteError.self) {
      _ = try Connection(path: folder.file("none.sqlite"), access: access)
    }
    #expect(error.isCantOpen)
    #expect("\(error)".contains("none.sqlite"))
    #expect(!FileManager.default.fileExists(atPath: folder.file("none.sqlite")))
  }

  @Test(arguments: [
    Connection.Access.readWrite, .create, .readOnly, .readOnlyUntouched,
  ])
  func `a file that is not a database is refused and not changed`(
    access: Connection.Access
  ) throws {
    let path = folder.file("text")
    let content = Data(String(repeating: "This is a letter. ", count: 500).utf8)
    try content.write(to: URL(fileURLWithPath: path))
    let error = try #require(throws: SQLiteError.self) {
      _ = try Connection(path: path, access: access)
    }
    #expect(error.isNotADatabase)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == content)
  }

  @Test(arguments: [Connection.Access.readOnly, .readOnlyUntouched])
  func `a reader sees what was committed and cannot write`(access: Connection.Access) throws {
    // Characters that a URI would understand in its own way.
    let db = try create("a b?mode=memory&#%41é.sqlite")
    try db.execute("CREATE TABLE t (a INTEGER) STRICT; INSERT INTO t (a) VALUES (7)")
    let reader = try Connection(path: db.path, access: access)
    #expect(try reader.integer("SELECT a FROM t") == 7)
    #expect(try reader.integer("PRAGMA cache_size") == -4000)
    #expect(try reader.integer("PRAGMA query_only") == 1)
    let error = try #require(throws: SQLiteError.self) {
      try reader.execute("INSERT INTO t (a) VALUES (8)")
    }
    #expect(error.isReadOnly)
  }

  @Test func `an untouched reader changes no byte and makes no file`() throws {
    let db = try create()
    try db.execute("CREATE TABLE t (a INTEGER) STRICT; INSERT INTO t (a) VALUES (7)")
    // What is in the folder is read by a copy: the files themselves are SQLite's alone.
    func snapshot() throws -> [String] {
      try ProgramRun("sh", "-c", "cd \"$1\" && cksum * && ls -l", "sh", folder.path).output
        .split(separator: "\n").map(String.init)
    }
    // Connections of one process share the shared-memory file, so a writer's is written by all.
    db.close()
    let before = try snapshot()
    #expect(before.count > 3)
    do {
      let reader = try Connection(path: db.path, access: .readOnlyUntouched)
      #expect(try reader.integer("SELECT a FROM t") == 7)
    }
    let after = try snapshot()
    #expect(after == before)
  }

  @Test func `the log stays when the last connection closes`() throws {
    let db = try create()
    try db.execute("CREATE TABLE t (a INTEGER) STRICT; INSERT INTO t (a) VALUES (7)")
    #expect(db.walPages > 0)
    db.close()
    let log = try FileManager.default.attributesOfItem(atPath: folder.file("a.sqlite-wal"))
    #expect((log[.size] as? Int ?? 0) > 4096)
    let again = try Connection(path: folder.file("a.sqlite"), access: .readWrite)
    #expect(try again.integer("SELECT a FROM t") == 7)
  }

  @Test func `a closed connection says so`() throws {
    let db = try create()
    db.close()
    let error = try #require(throws: SQLiteError.self) { try db.execute("SELECT 1") }
    #expect("\(error)".contains("the connection is closed"))
    #expect(!db.isInTransaction)
    db.interrupter.interrupt()
  }

  @Test func `programs inside a database file do not run`() throws {
    let path = folder.file("hostile.sqlite")
    let make = try ProgramRun(
      "python3", "-c",
      """
      import sqlite3, sys
      db = sqlite3.connect(sys.argv[1])
      db.executescript('''
        CREATE TABLE t (a INTEGER); CREATE TABLE seen (a INTEGER);
        CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO seen (a) VALUES (new.a); END;
        CREATE VIEW v AS SELECT a FROM t;''')
      """, path)
    try #require(make.exitCode == 0, "\(make.errors)")
    let db = try Connection(path: path, access: .readWrite)
    try db.execute("INSERT INTO t (a) VALUES (1)")
    #expect(try db.integer("SELECT count(*) FROM seen") == 0)
    #expect(throws: SQLiteError.self) { try db.execute("SELECT a FROM v") }
    #expect(throws: SQLiteError.self) {
      try db.execute("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = ''")
    }
    #expect(throws: SQLiteError.self) { try db.execute("SELECT \"a word\" FROM t") }
  }

  @Test func `full-text search works under the safety settings`() throws {
    let db = try create()
    try db.execute(
      """
      CREATE VIRTUAL TABLE search USING fts5 (body, content='', tokenize='unicode61');
      INSERT INTO search (rowid, body) VALUES (1, 'a ripe banana'), (2, 'a cup');
      """)
    #expect(try db.integer("SELECT rowid FROM search WHERE search MATCH 'banana'") == 1)
  }

  @Test func `deleted text is not left in the file`() throws {
    let db = try create()
    try db.execute("CREATE TABLE t (a TEXT) STRICT")
    let secret = "the-secret-that-must-go"
    let insert = try db.prepare("INSERT INTO t (a) VALUES (?1)")
    for _ in 0..<100 {
      insert.bind(secret, at: 1)
      try insert.run()
    }
    try db.checkpoint(.truncate)
    try db.execute("DELETE FROM t")
    try db.checkpoint(.truncate)
    db.close()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file("a.sqlite")))
    #expect(bytes.range(of: Data(secret.utf8)) == nil)
  }

  @Test func `another connection's commit changes the data version`() throws {
    let db = try create()
    let other = try Connection(path: db.path, access: .readWrite)
    let before = try db.dataVersion()
    try db.execute("CREATE TABLE t (a INTEGER) STRICT")
    #expect(try db.dataVersion() == before)
    try other.execute("INSERT INTO t (a) VALUES (1), (2)")
    #expect(try db.dataVersion() != before)
    #expect(other.changedRows == 2)
    #expect(other.lastInsertedRow == 2)
  }

  ///     reader                                writer
  ///     SELECT, not at its end yet
  ///                                           INSERT
  ///     the version that it has seen stays
  ///     (ends)
  ///     SELECT: the version is another one
  @Test func `a connection has seen another's commit once it reads again`() throws {
    let db = try create()
    try db.execute("CREATE TABLE t (a INTEGER) STRICT; INSERT INTO t (a) VALUES (1), (2)")
    let reader = try Connection(path: db.path, access: .readOnly)
    let seen: UInt32
    do {
      let find = try reader.prepare("SELECT a FROM t")
      #expect(try find.step())
      seen = reader.seenDataVersion
      try db.execute("INSERT INTO t (a) VALUES (3)")
      #expect(reader.seenDataVersion == seen)
    }
    #expect(try reader.integer("SELECT count(*) FROM t") == 3)
    #expect(reader.seenDataVersion != seen)
  }

  @Test func `an interruption ends what runs`() throws {
    let db = try create()
    let interrupter = db.interrupter
    let started = Monitor(false)
    let thread = WorkerThread(name: "interrupter") {
      started.wait { $0 ? () : nil }
      interrupter.interrupt()
    }
    let error = try #require(throws: SQLiteError.self) {
      // The first row tells the other thread that the statement runs; it would go on for ever.
      let forever = try db.prepare(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")
      while try forever.step() {
        started.withLock { $0 = true }
        started.signal()
      }
    }
    thread.join()
    #expect(error.isInterrupted)
  }

  @Test func `a sound database passes its check and a damaged one does not`() throws {
    let db = try create()
    try db.execute("CREATE TABLE t (a TEXT, b INTEGER) STRICT; CREATE INDEX i ON t (b)")
    let insert = try db.prepare("INSERT INTO t (a, b) VALUES (?1, ?2)")
    for n in 0..<2000 {
      insert.bind(String(repeating: "x", count: 100), at: 1)
      insert.bind(n, at: 2)
      try insert.run()
    }
    #expect(try db.integrityCheck(quick: true) == [])
    #expect(try db.integrityCheck(quick: false) == [])
    try db.checkpoint(.truncate)
    db.close()
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: folder.file("a.sqlite")))
    try file.seek(toOffset: 10 * 4096)
    try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
    try file.close()
    let again = try Connection(path: folder.file("a.sqlite"), access: .readOnly)
    #expect(try !again.integrityCheck(quick: true).isEmpty)
  }

  @Test func `copies are whole while the log is not empty`() throws {
    let db = try create()
    try db.execute("CREATE TABLE t (a INTEGER) STRICT; INSERT INTO t (a) VALUES (7)")
    try db.vacuum(into: folder.file("vacuumed.sqlite"))
    try db.backup(to: folder.file("backup.sqlite"))
    for name in ["vacuumed.sqlite", "backup.sqlite"] {
      let copy = try Connection(path: folder.file(name), access: .readWrite)
      #expect(try copy.integer("SELECT a FROM t") == 7)
      #expect(try copy.integrityCheck(quick: false) == [])
    }
    #expect(throws: SQLiteError.self) { try db.vacuum(into: folder.file("vacuumed.sqlite")) }
  }

  @Test func `a copy is of one snapshot, though others write between its steps`() throws {
    let db = try create()
    try db.execute(
      """
      CREATE TABLE t (a INTEGER, b BLOB) STRICT;
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
      INSERT INTO t SELECT i, zeroblob(9000) FROM n;
      """)
    let reader = try Connection(path: db.path, access: .readOnly)
    try reader.execute("BEGIN")
    var steps: [Int] = []
    try reader.backup(to: folder.file("backup.sqlite")) { done, total in
      steps.append(done)
      #expect(done <= total)
      try db.execute("UPDATE t SET a = -1; INSERT INTO t VALUES (-1, zeroblob(9000))")
      try db.checkpoint(.passive)
    }
    #expect(steps.count > 2 && steps == steps.sorted())
    let copy = try Connection(path: folder.file("backup.sqlite"), access: .readWrite)
    #expect(try copy.integer("SELECT sum(a) FROM t") == 2000 * 2001 / 2)
    #expect(try copy.integrityCheck(quick: false) == [])
    #expect(throws: CancellationError.self) {
      try reader.backup(to: folder.file("stopped.sqlite")) { _, _ in throw CancellationError() }
    }
  }

  @Test func `a checkpoint says what it did and a reader only makes it busy`() throws {
    let db = try create()
    try db.execute("CREATE TABLE t (a INTEGER) STRICT; INSERT INTO t (a) VALUES (7)")
    let reader = try Connection(path: db.path, access: .readOnly)
    try reader.execute("BEGIN; SELECT a FROM t")
    try db.execute("INSERT INTO t (a) VALUES (8)")
    let pinned = try db.checkpoint(.restart, waitingMilliseconds: 1)
    #expect(pinned.busy)
    let passive = try db.checkpoint(.passive)
    #expect(passive.wal > 0 && passive.checkpointed < passive.wal)
    try reader.execute("COMMIT")
    let free = try db.checkpoint(.restart)
    #expect(!free.busy && free.checkpointed == free.wal)
    #expect(try db.integer("PRAGMA busy_timeout") == 5000)
  }

  @Test func `the counters show the pages of a write`() throws {
    let db = try create()
    try db.execute("CREATE TABLE t (a INTEGER) STRICT")
    let before = db.count(of: .pagesWritten)
    try db.execute("INSERT INTO t (a) VALUES (1)")
    #expect(db.count(of: .pagesWritten) - before == 1)
    #expect(db.count(of: .cacheBytes) > 0)
    #expect(db.count(of: .statementBytes) >= 0)
  }

  @Test(arguments: [
    (3_006_023, false), (3_007_000, true), (3_040_001, true), (3_044_005, true),
    (3_044_006, false), (3_044_999, false), (3_045_000, true), (3_050_006, true),
    (3_050_007, false), (3_050_999, false), (3_051_000, true), (3_051_002, true),
    (3_051_003, false), (3_052_000, false), (4_000_000, false),
  ])
  func `the versions with the WAL-reset bug are known`(version: Int, isAffected: Bool) {
    #expect(Connection.hasWALResetBug(version: version) == isAffected)
  }

  @Test func `the library's version is that of the running one`() {
    let parts = Connection.libraryVersion.split(separator: ".").compactMap { Int($0) }
    #expect(parts.count >= 3)
    #expect(parts[0] * 1_000_000 + parts[1] * 1000 + parts[2] == Connection.libraryVersionNumber)
  }
}
