import KeepsakeFiles
import KeepsakeSQLite
import Testing

struct ReaderPoolTests {
  let folder: TemporaryFolder
  let db: Connection

  init() throws {
    folder = try TemporaryFolder()
    db = try Connection(path: folder.file("a.sqlite"), access: .create)
    try db.execute("CREATE TABLE t (a INTEGER) STRICT; INSERT INTO t (a) VALUES (1)")
  }

  private func pool(limit: Int, opened: Locked<Int> = Locked(0)) -> ReaderPool {
    let path = db.path
    return ReaderPool(limit: limit) {
      opened.withLock { $0 += 1 }
      return try Connection(path: path, access: .readOnly)
    }
  }

  ///     reader                     writer
  ///     SELECT count → 1
  ///                                INSERT
  ///     SELECT count → 1
  ///     (ends)
  ///     SELECT count → 2
  @Test func `a read sees one snapshot and the next one sees what was written`() throws {
    let pool = pool(limit: 1)
    try pool.read { reader in
      #expect(try reader.integer("SELECT count(*) FROM t") == 1)
      try db.execute("INSERT INTO t (a) VALUES (2)")
      #expect(try reader.integer("SELECT count(*) FROM t") == 1)
    }
    #expect(try pool.read { try $0.integer("SELECT count(*) FROM t") } == 2)
  }

  @Test func `without a transaction each statement sees what is there when it runs`() throws {
    let pool = pool(limit: 1)
    try pool.readEach { reader in
      #expect(!reader.isInTransaction)
      #expect(try reader.integer("SELECT count(*) FROM t") == 1)
      try db.execute("INSERT INTO t (a) VALUES (2)")
      #expect(try reader.integer("SELECT count(*) FROM t") == 2)
    }
    #expect(throws: CancellationError.self) { try pool.readEach { _ in throw CancellationError() } }
    #expect(try pool.read { try $0.integer("SELECT count(*) FROM t") } == 2)
  }

  @Test func `connections are opened when needed, and used again`() throws {
    let opened = Locked(0)
    let pool = pool(limit: 3, opened: opened)
    #expect(opened.withLock { $0 } == 0)
    for _ in 0..<5 { _ = try pool.read { try $0.integer("SELECT 1") } }
    #expect(opened.withLock { $0 } == 1)
    try pool.read { _ in _ = try pool.read { try $0.integer("SELECT 1") } }
    #expect(opened.withLock { $0 } == 2)
  }

  @Test func `when all are out the next reader waits for one`() throws {
    let pool = pool(limit: 2)
    let inside = Monitor((now: 0, most: 0, total: 0))
    let threads = (0..<8).map { number in
      WorkerThread(name: "reader \(number)") {
        do {
          for _ in 0..<50 {
            try pool.read { reader in
              inside.withLock { state in
                state.now += 1
                state.most = max(state.most, state.now)
              }
              let value = try reader.integer("SELECT a FROM t")
              #expect(value == 1)
              inside.withLock { state in
                state.now -= 1
                state.total += 1
              }
            }
          }
        } catch {
          Issue.record(error)
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(inside.withLock { $0.total } == 400)
    #expect(inside.withLock { $0.most } <= 2)
  }

  @Test func `a read that throws leaves the connection usable`() throws {
    struct Refusal: Error {}
    let opened = Locked(0)
    let pool = pool(limit: 1, opened: opened)
    #expect(throws: Refusal.self) {
      try pool.read { reader in
        _ = try reader.integer("SELECT a FROM t")
        throw Refusal()
      }
    }
    #expect(throws: SQLiteError.self) { try pool.read { try $0.execute("SELECT nothing") } }
    #expect(try pool.read { try $0.integer("SELECT a FROM t") } == 1)
    #expect(opened.withLock { $0 } == 1)
    // No snapshot is left behind that would hold a checkpoint back.
    #expect(try !db.checkpoint(.truncate, waitingMilliseconds: 0).busy)
  }

  @Test func `opening may fail and be tried again`() throws {
    let pool = ReaderPool(limit: 1) { [missing = folder.file("missing")] in
      try Connection(path: missing, access: .readOnly)
    }
    for _ in 0..<3 {
      #expect(throws: SQLiteError.self) { _ = try pool.read { $0.isInTransaction } }
    }
  }

  @Test func `a closed pool refuses, and lets those finish that are inside`() throws {
    let pool = pool(limit: 2)
    try pool.read { reader in
      pool.close()
      let value = try reader.integer("SELECT a FROM t")
      #expect(value == 1)
      #expect(throws: ReaderPoolError.closed) { _ = try pool.read { $0.isInTransaction } }
    }
    pool.close()
    #expect(throws: ReaderPoolError.closed) { _ = try pool.read { $0.isInTransaction } }
  }
}
