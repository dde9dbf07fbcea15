import CKeepsakeSQLite
import Foundation
import KeepsakeFiles
import Testing

@testable import KeepsakeSQLite

/// What a commit's pages being written together must not change: what others see, and what a failure leaves.
struct LogFileTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("log.sqlite")
    try Self.makeDatabase(at: path)
  }

  private static func makeDatabase(at path: String) throws {
    let db = try Connection(path: path, access: .create)
    try db.execute(
      """
      CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB,
        c INTEGER REFERENCES t DEFERRABLE INITIALLY DEFERRED) STRICT
      """)
  }

  private func connection(syncing: Bool = true) throws -> Connection {
    let db = try Connection(path: path, access: .readWrite)
    if !syncing { try db.execute("PRAGMA synchronous = NORMAL") }
    return db
  }

  // MARK: - Commits

  @Test(arguments: [1, 4000, 120_000, 130_000, 3_000_000], [true, false])
  func `what is committed is there for another connection at once`(
    bytes: Int, syncing: Bool
  ) throws {
    let (db, other) = (try connection(syncing: syncing), try connection())
    for number in 1...5 {
      try db.execute("BEGIN IMMEDIATE")
      try db.insert(number, filled: bytes)
      #expect(try other.numbers() == Array(1..<number))
      try db.commit()
      #expect(try other.numbers() == Array(1...number))
      #expect(try other.bytes(of: number) == db.bytes(of: number))
    }
    #expect(try other.integrityCheck(quick: false) == [])
  }

  /// SQLite puts the pages of a commit into the log's index before COMMIT ends, and then readers take them from the file.
  @Test(arguments: [true, false])
  func `a reader never finds a commit whose pages are not in the file`(syncing: Bool) throws {
    let db = try connection(syncing: syncing)
    let reading = Locked((reads: 0, commitsSeen: 0, failure: (any Error)?.none))
    let isEnded = Locked(false)
    defer { isEnded.withLock { $0 = true } }
    Thread.detachNewThread { [self] in
      do {
        let other = try connection()
        var last: [Int] = []
        while isEnded.withLock({ !$0 }) {
          let numbers = try other.numbers()
          let isNew = numbers != last
          last = numbers
          reading.withLock {
            $0.reads += 1
            if isNew { $0.commitsSeen += 1 }
          }
        }
      } catch { reading.withLock { $0.failure = error } }
    }
    var number = 0
    // On a busy machine a thread may stand still while the other does much.
    while reading.withLock({ $0.failure == nil && ($0.reads < 5000 || $0.commitsSeen < 100) }) {
      number += 1
      try db.execute("BEGIN IMMEDIATE")
      // The pages change much, so that a page which is not there yet is noticed.
      try db.execute("DELETE FROM t WHERE a % 3 = \(number % 3)")
      for row in 0..<20 { try db.insert(number * 20 + row, filled: 100) }
      try db.commit()
    }
    if let failure = reading.withLock({ $0.failure }) { throw failure }
  }

  @Test(arguments: [true, false])
  func `a transaction that does not fit into memory is committed, or taken back, whole`(
    syncing: Bool
  ) throws {
    let (db, other) = (try connection(syncing: syncing), try connection())
    // What is more is written into the log before the end, and read from there again.
    try db.execute("PRAGMA cache_size = 10")
    for number in stride(from: 0, to: 300, by: 100) {
      try db.execute("BEGIN IMMEDIATE")
      for row in number..<number + 100 { try db.insert(row, filled: 5000) }
      // Pages that lie in the log already change once more, where they lie.
      try db.execute("UPDATE t SET c = 0 WHERE a % 7 = 0")
      if number == 100 { try db.execute("ROLLBACK") } else { try db.commit() }
      // Writes where the transaction that was taken back had written.
      try other.execute("BEGIN IMMEDIATE")
      try other.insert(1000 + number, filled: 50_000)
      try other.commit()
      #expect(try db.integrityCheck(quick: false) == [])
    }
    let expected = Array(0..<100) + Array(200..<300) + [1000, 1100, 1200]
    #expect(try other.numbers() == expected)
    for number in expected { #expect(try other.bytes(of: number)?.allSatisfy { $0 == 7 } == true) }
  }

  @Test func `a commit that is refused leaves the transaction open, and may be tried again`() throws
  {
    let (db, other) = (try connection(), try connection())
    try db.execute("BEGIN IMMEDIATE")
    try db.insert(1, filled: 50_000)
    try db.execute("UPDATE t SET c = 9")
    #expect(throws: SQLiteError.self) { try db.commit() }
    #expect(db.isInTransaction)
    #expect(try other.numbers() == [])
    try db.insert(9, filled: 10)
    try db.commit()
    #expect(try other.numbers() == [1, 9])
  }

  /// - Parameters:
  ///   - bytes: The size of a row.
  ///   - changesMore: Whether pages that lie in the log already change once more.
  @Test(arguments: [1, 4000, 130_000, 3_000_000], [true, false])
  func `pages that are written before the commit are seen by nobody else until then`(
    bytes: Int, changesMore: Bool
  ) throws {
    let (db, other) = (try connection(), try connection())
    var kept: [Int] = []
    for number in 1...6 {
      try db.execute("BEGIN IMMEDIATE")
      try db.insert(number, filled: bytes)
      try db.writePagesAhead()
      if changesMore { try db.insert(100 + number, filled: bytes) }
      #expect(try other.numbers() == kept)
      if number % 3 == 0 {
        try db.execute("ROLLBACK")
      } else {
        try db.commit()
        kept = (kept + [number] + (changesMore ? [100 + number] : [])).sorted()
      }
      #expect(try other.numbers() == kept)
      // Takes the place of what was rolled back.
      try other.execute("BEGIN IMMEDIATE")
      try other.insert(1000 + number, filled: 2000)
      try other.commit()
      kept.append(1000 + number)
      #expect(try db.numbers() == kept)
    }
    for number in kept { #expect(try other.bytes(of: number) == db.bytes(of: number)) }
    #expect(try other.integrityCheck(quick: false) == [])
  }

  @Test func `a commit whose pages were written before writes one more page`() throws {
    let db = try connection()
    for number in 1...10 { try db.insert(number, filled: 2000) }
    func pages(_ ending: () throws -> Void) throws -> Int {
      try db.execute("BEGIN IMMEDIATE; UPDATE t SET c = a")
      let before = db.walPages
      try ending()
      return db.walPages - before
    }
    let without = try pages { try db.commit() }
    let with = try pages {
      try db.writePagesAhead()
      let size = try size()
      try db.commit()
      #expect(try self.size() == size + 24 + 4096)
    }
    #expect(with == without + 1)
  }

  @Test func `a transaction that only read ends with a commit, too`() throws {
    let db = try connection()
    try db.execute("BEGIN")
    #expect(try db.numbers() == [])
    try db.commit()
    #expect(!db.isInTransaction)
  }

  @Test(
    .enabled(if: SmallDisk.canBeMade, "Mounting a file system is not permitted here"),
    arguments: [true, false])
  func `what a commit on a full disk left behind is in nobody's way`(syncing: Bool) throws {
    let disk = try SmallDisk()
    let path = disk.path + "/log.sqlite"
    try Self.makeDatabase(at: path)
    let ballast = disk.path + "/ballast"
    try Data(count: 700_000).write(to: URL(filePath: ballast))
    let (db, other) = (
      try Connection(path: path, access: .readWrite), try Connection(path: path, access: .readWrite)
    )
    if !syncing { try db.execute("PRAGMA synchronous = NORMAL") }
    for number in 1...4 {
      try db.execute("BEGIN IMMEDIATE")
      try db.insert(number, filled: 400_000)
      let error = #expect(throws: SQLiteError.self) { try db.commit() }
      #expect(error?.isFull == true)
      if db.isInTransaction { try db.execute("ROLLBACK") }
      #expect(try other.numbers() == (1..<number).map { $0 + 100 })
      // Takes the place in the log that the commit had begun to fill.
      try other.execute("BEGIN IMMEDIATE")
      try other.insert(100 + number, filled: 2000)
      try other.commit()
      #expect(try db.numbers() == (1...number).map { $0 + 100 })
    }
    try FileManager.default.removeItem(atPath: ballast)
    try db.execute("BEGIN IMMEDIATE")
    try db.insert(5, filled: 100_000)
    try db.commit()
    #expect(try other.numbers() == [5, 101, 102, 103, 104])
    #expect(try other.integrityCheck(quick: false) == [])
  }

  @Test(.enabled(if: SmallDisk.canBeMade, "Mounting a file system is not permitted here"))
  func `pages that don't fit on the disk before the commit are told, and taken back`() throws {
    let disk = try SmallDisk()
    let path = disk.path + "/log.sqlite"
    try Self.makeDatabase(at: path)
    try Data(count: 700_000).write(to: URL(filePath: disk.path + "/ballast"))
    let (db, other) = (
      try Connection(path: path, access: .readWrite), try Connection(path: path, access: .readWrite)
    )
    for number in 1...3 {
      try db.execute("BEGIN IMMEDIATE")
      try db.insert(number, filled: 400_000)
      let error = #expect(throws: SQLiteError.self) { try db.writePagesAhead() }
      #expect(error?.isFull == true)
      if db.isInTransaction { try db.execute("ROLLBACK") }
      try other.execute("BEGIN IMMEDIATE")
      try other.insert(100 + number, filled: 2000)
      try other.commit()
      #expect(try db.numbers() == (1...number).map { $0 + 100 })
    }
    #expect(try other.integrityCheck(quick: false) == [])
  }

  // MARK: - The file

  @Test func `what is gathered is in the file for whatever asks, and else for nobody`() throws {
    let db = try connection()
    try db.execute("BEGIN IMMEDIATE")
    let log = try #require(unsafe LogFile.of(db.handle))
    let file = try #require(unsafe LogFile.anyLog(of: db.handle))
    let methods = unsafe file.pointee.pMethods.pointee
    func write(_ count: Int, at offset: Int, holding byte: UInt8 = 5) -> Int32 {
      let bytes = [UInt8](repeating: byte, count: count)
      return unsafe methods.xWrite(file, bytes, Int32(count), Int64(offset))
    }
    let before = try size()
    #expect(write(24, at: before) == SQLITE_OK)
    #expect(try size() == before + 24)

    unsafe log.pointee.gather()
    #expect(write(24, at: before, holding: 0) == SQLITE_OK)
    #expect(write(4096, at: before + 24) == SQLITE_OK)
    #expect(try size() == before + 24)
    var found: Int64 = 0
    #expect(unsafe methods.xFileSize(file, &found) == SQLITE_OK)
    #expect(found == Int64(before + 4120))
    #expect(try size() == before + 4120)

    // The last page, whose header has the number of the database's pages.
    #expect(write(24, at: before + 4120, holding: 0) == SQLITE_OK)
    #expect(write(4096, at: before + 4144) == SQLITE_OK)
    #expect(try size() == before + 4120)
    #expect(write(24, at: before + 8240) == SQLITE_OK)
    #expect(write(4096, at: before + 8264) == SQLITE_OK)
    #expect(try size() == before + 12_360)

    // Elsewhere: what is there goes first, and nothing is gathered any more.
    unsafe log.pointee.gather()
    #expect(write(8, at: before + 13_000) == SQLITE_OK)
    #expect(write(8, at: before + 14_000) == SQLITE_OK)
    #expect(try size() == before + 14_008)
    #expect(write(8, at: before + 14_008) == SQLITE_OK)
    #expect(try size() == before + 14_016)
    var read = [UInt8](repeating: 0, count: 8)
    #expect(unsafe methods.xRead(file, &read, 8, Int64(before + 13_000)) == SQLITE_OK)
    #expect(read == [5, 5, 5, 5, 5, 5, 5, 5])

    // More than it gathers, in several pieces and in one.
    unsafe log.pointee.gather()
    #expect(write(100_000, at: before + 20_000) == SQLITE_OK)
    #expect(write(100_000, at: before + 120_000) == SQLITE_OK)
    #expect(try size() == before + 120_000)
    #expect(unsafe methods.xSync(file, SQLITE_SYNC_NORMAL) == SQLITE_OK)
    #expect(try size() == before + 220_000)
    #expect(write(130_000, at: before + 220_000) == SQLITE_OK)
    #expect(try size() == before + 350_000)

    unsafe log.pointee.gather()
    #expect(write(8, at: before + 350_000) == SQLITE_OK)
    #expect(unsafe methods.xTruncate(file, Int64(before)) == SQLITE_OK)
    #expect(try size() == before)
    try db.execute("ROLLBACK")
  }

  @Test func `what a failed commit had gathered goes nowhere once the transaction is over`() throws
  {
    let db = try connection()
    try db.execute("BEGIN IMMEDIATE")
    let log = try #require(unsafe LogFile.of(db.handle))
    let file = try #require(unsafe LogFile.anyLog(of: db.handle))
    let methods = unsafe file.pointee.pMethods.pointee
    let before = try size()
    let bytes = [UInt8](repeating: 5, count: 100)
    for isOpen in [false, true] {
      unsafe log.pointee.gather()
      #expect(unsafe methods.xWrite(file, bytes, 100, Int64(before)) == SQLITE_OK)
      #expect(unsafe log.pointee.finish(isOpen: isOpen) == SQLITE_OK)
      #expect(try size() == before + (isOpen ? 100 : 0))
    }
    try db.execute("ROLLBACK")
  }

  /// Returns the size of the log's file.
  private func size() throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path + "-wal")
    return try #require(attributes[.size] as? Int)
  }
}

extension Connection {
  fileprivate func insert(_ number: Int, filled count: Int) throws {
    let insert = try prepare("INSERT INTO t (a, b) VALUES (?1, ?2)")
    insert.bind(number, at: 1)
    insert.bind([UInt8](repeating: 7, count: count), at: 2)
    try insert.run()
  }

  fileprivate func numbers() throws -> [Int] {
    let rows = try prepare("SELECT a FROM t ORDER BY a")
    var numbers: [Int] = []
    while try rows.step() { numbers.append(rows.int(0)) }
    return numbers
  }

  fileprivate func bytes(of number: Int) throws -> [UInt8]? {
    let row = try prepare("SELECT b FROM t WHERE a = ?1")
    row.bind(number, at: 1)
    return try row.step() ? row.bytes(0) : nil
  }
}
