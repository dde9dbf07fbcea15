import KeepsakeFiles
import KeepsakeSQLite
import Testing

struct StatementTests {
  let folder: TemporaryFolder
  let db: Connection

  init() throws {
    folder = try TemporaryFolder()
    db = try Connection(path: folder.file("a.sqlite"), access: .create)
    try db.execute("CREATE TABLE t (a ANY) STRICT")
  }

  /// Writes one value by the given binding, and reads it back.
  private func stored<R>(
    _ bind: (borrowing Statement) -> Void, _ read: (borrowing Statement) throws -> R
  ) throws -> R {
    try db.execute("DELETE FROM t")
    let insert = try db.prepare("INSERT INTO t (a) VALUES (?1)")
    bind(insert)
    try insert.run()
    let select = try db.prepare("SELECT a, typeof(a) FROM t")
    try #require(try select.step())
    return try read(select)
  }

  @Test(arguments: [Int64.min, -1, 0, 1, 1 << 24, Int64.max])
  func `an integer comes back`(value: Int64) throws {
    #expect(try stored({ $0.bind(value, at: 1) }, { $0.int64(0) }) == value)
    #expect(try stored({ $0.bind(Int(value), at: 1) }, { $0.int(0) }) == Int(value))
    #expect(try stored({ $0.bind(value as Int64?, at: 1) }, { $0.optionalInt64(0) }) == value)
    #expect(try stored({ $0.bind(Int(value) as Int?, at: 1) }, { $0.optionalInt(0) }) == Int(value))
    #expect(try stored({ $0.bind(value, at: 1) }, { $0.text(1) }) == "integer")
  }

  @Test(arguments: [-Double.infinity, -0.5, 0, .leastNonzeroMagnitude, .greatestFiniteMagnitude])
  func `a floating-point number comes back`(value: Double) throws {
    #expect(try stored({ $0.bind(value, at: 1) }, { $0.double(0) }) == value)
    #expect(try stored({ $0.bind(value, at: 1) }, { $0.optionalDouble(0) }) == value)
  }

  @Test(arguments: [true, false])
  func `a truth value comes back`(value: Bool) throws {
    #expect(try stored({ $0.bind(value, at: 1) }, { $0.bool(0) }) == value)
  }

  @Test(arguments: [
    "", "a", "e\u{301}", "藍色", "a\0b", "\0", String(repeating: "é", count: 40_000),
  ])
  func `text comes back with its exact bytes`(value: String) throws {
    let utf8 = Array(value.utf8)
    #expect(try stored({ $0.bind(value, at: 1) }, { Array($0.text(0).utf8) }) == utf8)
    #expect(try stored({ $0.bind(value as String?, at: 1) }, { $0.optionalText(0) }) == value)
    #expect(try stored({ $0.bind(value, at: 1) }, { $0.count(0) }) == utf8.count)
    #expect(try stored({ $0.bind(value, at: 1) }, { $0.text(1) }) == "text")
    #expect(try stored({ $0.bind(utf8, at: 1, as: .text) }, { $0.text(0) }) == value)
    #expect(try stored({ $0.bind(utf8, at: 1, as: .text) }, { $0.text(1) }) == "text")
  }

  @Test(arguments: [[], [0], [0, 0], Array(0...255), [UInt8](repeating: 7, count: 100_000)])
  func `bytes come back`(value: [UInt8]) throws {
    #expect(try stored({ $0.bind(value, at: 1) }, { $0.bytes(0) }) == value)
    #expect(try stored({ $0.bind(value as [UInt8]?, at: 1) }, { $0.optionalBytes(0) }) == value)
    #expect(try stored({ $0.bind(value, at: 1) }, { $0.text(1) }) == "blob")
    #expect(try stored({ $0.bind(value, at: 1) }, { $0.isNull(0) }) == false)
    let copy = try stored({ $0.bind(value, at: 1) }) { row in
      let span = row.span(0)
      return (0..<span.byteCount).map { span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
    }
    #expect(copy == value)
  }

  @Test(arguments: [0, 1, 31, 32, 33, 100])
  func `a value stays bound until another takes its place, and the others with it`(count: Int)
    throws
  {
    let statement = try db.prepare("SELECT ?, ?, ?")
    func values() throws -> [[UInt8]] {
      #expect(try statement.step())
      defer { statement.reset() }
      return (0..<3).map { statement.bytes($0) }
    }
    func value(_ byte: UInt8) -> [UInt8] { Array(repeating: byte, count: count) }
    for index in 1...3 { statement.bind(value(UInt8(index)), at: index) }
    #expect(try values() == [value(1), value(2), value(3)])
    statement.bind(value(9), at: 2)
    #expect(try values() == [value(1), value(9), value(3)])
    statement.bind(String(decoding: value(65), as: UTF8.self), at: 3)
    statement.bindNull(at: 1)
    #expect(try values() == [[], value(9), value(65)])
    statement.bind([UInt8](repeating: 7, count: 50), at: 2)
    statement.bind([8], at: 1)
    #expect(try values() == [[8], Array(repeating: 7, count: 50), value(65)])
  }

  @Test func `a digest comes back, and only from 32 bytes`() throws {
    let digest = SHA256.digest(of: Array("banana".utf8))
    #expect(try stored({ $0.bind(digest, at: 1) }, { $0.digest(0) }) == digest)
    #expect(
      try stored({ $0.bind(digest as SHA256Digest?, at: 1) }, { $0.bytes(0) }) == digest.bytes)
    #expect(try stored({ $0.bind(nil as SHA256Digest?, at: 1) }, { $0.digest(0) }) == nil)
    #expect(try stored({ $0.bind([1, 2, 3], at: 1) }, { $0.digest(0) }) == nil)
  }

  @Test func `nothing comes back as NULL`() throws {
    #expect(try stored({ $0.bindNull(at: 1) }, { $0.isNull(0) }))
    #expect(try stored({ $0.bind(nil as Int64?, at: 1) }, { $0.optionalInt64(0) }) == nil)
    #expect(try stored({ $0.bind(nil as Int?, at: 1) }, { $0.optionalInt(0) }) == nil)
    #expect(try stored({ $0.bind(nil as Double?, at: 1) }, { $0.optionalDouble(0) }) == nil)
    #expect(try stored({ $0.bind(nil as String?, at: 1) }, { $0.optionalText(0) }) == nil)
    #expect(try stored({ $0.bind(nil as [UInt8]?, at: 1) }, { $0.optionalBytes(0) }) == nil)
    #expect(try stored({ $0.bindNull(at: 1) }, { $0.text(0) }) == "")
    #expect(try stored({ $0.bindNull(at: 1) }, { $0.bytes(0) }) == [])
    #expect(try stored({ $0.bindNull(at: 1) }, { $0.span(0).byteCount }) == 0)
  }

  @Test(arguments: [Statement.Storage.blob, .text])
  func `bytes bound in place are stored, and unbound afterwards`(storage: Statement.Storage) throws
  {
    let insert = try db.prepare("INSERT INTO t (a) VALUES (?1)")
    try insert.run(binding: Array("abc".utf8), at: 1, as: storage)
    try insert.run(binding: [], at: 1, as: storage)
    try insert.run()
    let select = try db.prepare("SELECT a, typeof(a) FROM t ORDER BY rowid")
    var rows: [String] = []
    while try select.step() { rows.append("\(select.text(1)):\(select.text(0))") }
    #expect(rows == ["\(storage):abc", "\(storage):", "null:"])
  }

  @Test func `bytes bound in place are unbound after an error too`() throws {
    try db.execute("CREATE TABLE u (a BLOB CHECK (length(a) < 3)) STRICT")
    let insert = try db.prepare("INSERT INTO u (a) VALUES (?1)")
    #expect(throws: SQLiteError.self) { try insert.run(binding: [1, 2, 3], at: 1) }
    try insert.run()
    #expect(try db.integer("SELECT count(*) FROM u WHERE a IS NULL") == 1)
  }

  @Test func `text that is too long is an error and not NULL`() throws {
    let insert = try db.prepare("INSERT INTO t (a) VALUES (?1)")
    insert.bind([UInt8](repeating: 0, count: 1_000_000_001), at: 1)
    let error = #expect(throws: SQLiteError.self) { try insert.run() }
    #expect(error?.code == 18)
    #expect(try db.integer("SELECT count(*) FROM t") == 0)
  }

  @Test func `a statement is compiled once`() throws {
    for n in 0..<10 {
      let insert = try db.prepare("INSERT INTO t (a) VALUES (?1)")
      insert.bind(n, at: 1)
      try insert.run()
      #expect(insert.takeCount(of: .runs) == 1)
      #expect(insert.takeCount(of: .runs) == 0)
    }
    #expect(try db.integer("SELECT count(*) FROM t") == 10)
  }

  /// outer: 1 2 3, each with a whole inner run of the same statement.
  @Test func `a running statement is never handed out again`() throws {
    try db.execute("INSERT INTO t (a) VALUES (1), (2), (3)")
    func rows() throws -> Statement { try db.prepare("SELECT a FROM t ORDER BY a") }
    var seen: [Int] = []
    let outer = try rows()
    while try outer.step() {
      let inner = try rows()
      while try inner.step() { seen.append(outer.int(0) * 10 + inner.int(0)) }
    }
    #expect(seen == [11, 12, 13, 21, 22, 23, 31, 32, 33])
  }

  @Test func `a statement that goes away holds no read lock`() throws {
    try db.execute("INSERT INTO t (a) VALUES (1), (2)")
    do {
      let select = try db.prepare("SELECT a FROM t")
      try #require(try select.step())
    }
    let result = try db.checkpoint(.truncate, waitingMilliseconds: 0)
    #expect(!result.busy)
  }

  @Test func `only so many composed statements are kept`() throws {
    for n in 0..<100 {
      let select = try db.prepare(text: "SELECT \(n)")
      #expect(try select.step())
      #expect(select.int(0) == n)
    }
    // The newest is compiled already, the oldest anew.
    let newest = try db.prepare(text: "SELECT 99")
    #expect(try newest.step())
    #expect(newest.takeCount(of: .runs) == 2)
    let oldest = try db.prepare(text: "SELECT 0")
    #expect(try oldest.step())
    #expect(oldest.takeCount(of: .runs) == 1)
  }

  @Test func `SQL that was composed once is compiled once on each connection`() throws {
    let constants = (0..<50).map { ComposedSQL("SELECT \($0)") }
    for round in 1...2 {
      for (number, constant) in constants.enumerated() {
        let select = try db.prepare(constant)
        #expect(try select.step())
        #expect(select.int(0) == number)
        #expect(select.takeCount(of: .runs) == 1, "in round \(round)")
        // While the statement runs, the same SQL gives another one.
        let other = try db.prepare(constant)
        #expect(try other.step() && other.int(0) == number)
        #expect(try !select.step())
      }
    }
    // An equal text that was composed again is another constant.
    #expect(try db.prepare(ComposedSQL("SELECT 7")).takeCount(of: .runs) == 0)
    #expect(throws: SQLiteError.self) { _ = try db.prepare(ComposedSQL("SELECT FROM")).columnCount }
  }

  @Test func `a statement outlives its connection`() throws {
    func running() throws -> Statement {
      let other = try Connection(path: folder.file("b.sqlite"), access: .create)
      let select = try other.prepare("SELECT 1 UNION SELECT 2")
      #expect(try select.step())
      other.close()
      return select
    }
    let select = try running()
    #expect(try select.step())
    #expect(select.int(0) == 2)
  }

  @Test func `an error names the SQL and never a bound value`() throws {
    try db.execute("CREATE UNIQUE INDEX u ON t (a); INSERT INTO t (a) VALUES ('secret')")
    let insert = try db.prepare("INSERT INTO t (a) VALUES (?1)")
    insert.bind("secret", at: 1)
    let error = try #require(throws: SQLiteError.self) { try insert.run() }
    #expect(error.isConstraint)
    #expect(error.code == 19)
    #expect(error.extendedCode == 2067)
    #expect(error.sql == "INSERT INTO t (a) VALUES (?1)")
    #expect("\(error)".contains("INSERT INTO t (a) VALUES (?1)"))
    #expect("\(error)".contains("UNIQUE constraint failed: t.a"))
    #expect(!"\(error)".contains("secret"))
    // The statement was reset: it can be bound and run.
    insert.bind("other", at: 1)
    try insert.run()
  }

  @Test func `an error in a script names the statement that failed`() throws {
    let error = try #require(throws: SQLiteError.self) {
      try db.execute("INSERT INTO t (a) VALUES (1); INSERT INTO nowhere VALUES (2)")
    }
    #expect(error.sql?.contains("nowhere") == true)
    #expect(error.message == "no such table: nowhere")
    #expect(try db.integer("SELECT count(*) FROM t") == 1)
  }

  @Test(arguments: ["", " ", "-- nothing", ";", "/* a */ ; -- b\n"])
  func `a script may be empty`(script: String) throws {
    try db.execute(script)
  }

  @Test(arguments: ["", "-- nothing"])
  func `an empty statement is an error`(sql: String) throws {
    #expect(throws: SQLiteError.self) { _ = try db.prepare(text: sql).columnCount }
  }
}
