import KeepsakeFiles
import Foundation
import KeepsakeSQLite
import Testing

/// Reading without changing a byte, whatever a crash, a copy or another program left beside the database.
struct UntouchedTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a.sqlite")
    let db = try Connection(path: path, access: .create)
    try db.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT) STRICT")
    try db.checkpoint(.truncate)
    for number in 0..<200 {
      try db.execute(
        "INSERT INTO t (a, b) VALUES (\(number), '\(String(repeating: "x", count: 500))')")
    }
  }

  enum Index: String, CaseIterable { case whole, missing, empty, zeros, random }

  @Test(arguments: Index.allCases)
  func `a log is read whatever became of its index`(_ index: Index) throws {
    try replace("-shm", index)
    let before = try contents()
    let readers = try (0..<3).map { _ in try untouched() }
    for reader in readers {
      #expect(try numbers(reader) == Array(0..<200))
      #expect(try reader.integrityCheck(quick: false) == [])
    }
    for reader in readers { reader.close() }
    #expect(try contents() == before)
    // And whoever writes next finds all of it.
    let db = try Connection(path: path, access: .readWrite)
    #expect(try numbers(db) == Array(0..<200))
  }

  enum Log: String, CaseIterable {
    case missing, empty, header, wrongHeader, random, zeros
  }

  @Test(arguments: Log.allCases, [Index.whole, .missing, .zeros, .random])
  func `a log with nothing in it is none`(_ log: Log, _ index: Index) throws {
    // Nothing of it but what was in the database before.
    let whole = try Data(contentsOf: URL(filePath: path + "-wal"))
    try replace("-shm", index)
    switch log {
    case .missing: try FileManager.default.removeItem(atPath: path + "-wal")
    case .empty: try Data().write(to: URL(filePath: path + "-wal"))
    case .header: try whole.prefix(32).write(to: URL(filePath: path + "-wal"))
    case .wrongHeader: try Data(1...32).write(to: URL(filePath: path + "-wal"))
    case .random: try Self.random(9000).write(to: URL(filePath: path + "-wal"))
    case .zeros: try Data(count: 9000).write(to: URL(filePath: path + "-wal"))
    }
    let before = try contents()
    let reader = try untouched()
    // SQLite's own attempts at such a log go on for ten seconds.
    for _ in 0..<3 { #expect(try numbers(reader) == []) }
    reader.close()
    #expect(try contents() == before)
  }

  @Test(arguments: Index.allCases, [true, false])
  func `who reads sees what another program writes from then on`(
    _ index: Index, hasLog: Bool
  ) throws {
    try replace("-shm", index)
    if !hasLog { try FileManager.default.removeItem(atPath: path + "-wal") }
    let expected = hasLog ? Array(0..<200) : []
    let reader = try untouched()
    #expect(try numbers(reader) == expected)
    let other = try OtherProgram(on: path)
    try other.run("INSERT INTO t (a) VALUES (1000)")
    #expect(try numbers(reader) == expected + [1000])
    try other.run("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(try numbers(reader) == expected + [1000])
    try other.run("UPDATE t SET b = hex(randomblob(400))")
    try other.run("INSERT INTO t (a) VALUES (1001)")
    try other.run("PRAGMA wal_checkpoint(TRUNCATE)")
    try other.run("INSERT INTO t (a) VALUES (1002)")
    #expect(try numbers(reader) == expected + [1000, 1001, 1002])
    #expect(try reader.integrityCheck(quick: false) == [])
    other.end()
    #expect(try numbers(reader) == expected + [1000, 1001, 1002])
    #expect(try numbers(untouched()) == expected + [1000, 1001, 1002])
  }

  /// A snapshot without locks: that it is not one any more is said, never answered wrongly.
  ///
  ///     reader, without an index      another program
  ///     BEGIN, reads
  ///                                   makes the index, writes, writes all of the log into the database
  ///     reads on: refused
  ///     reads anew: sees all
  @Test func `a snapshot that another program overtook is refused`() throws {
    try FileManager.default.removeItem(atPath: path + "-shm")
    let reader = try untouched()
    try reader.execute("BEGIN")
    #expect(try reader.integer("SELECT a FROM t WHERE a = 7") == 7)
    let other = try OtherProgram(on: path)
    try other.run("UPDATE t SET b = hex(randomblob(400))")
    try other.run("PRAGMA wal_checkpoint(TRUNCATE)")
    try other.run("INSERT INTO t (a) VALUES (1000)")
    let error = #expect(throws: SQLiteError.self) { try numbers(reader) }
    #expect(error?.isOvertaken == true, "\(String(describing: error))")
    if reader.isInTransaction { try reader.execute("ROLLBACK") }
    #expect(try numbers(reader) == Array(0..<200) + [1000])
    #expect(try reader.integrityCheck(quick: false) == [])
  }

  /// With an index that nobody has open there are locks, and whoever writes respects them.
  @Test(arguments: [Index.whole, .zeros, .random])
  func `a snapshot beside an index stays what it is`(_ index: Index) throws {
    try replace("-shm", index)
    let reader = try untouched()
    try reader.execute("BEGIN")
    #expect(try reader.integer("SELECT a FROM t WHERE a = 7") == 7)
    let other = try OtherProgram(on: path)
    try other.run("UPDATE t SET b = hex(randomblob(400))")
    try other.run("PRAGMA wal_checkpoint(PASSIVE)")
    try other.run("INSERT INTO t (a) VALUES (1000)")
    #expect(try numbers(reader) == Array(0..<200))
    #expect(try reader.integer("SELECT sum(length(b)) FROM t") == 200 * 500)
    try reader.execute("COMMIT")
    #expect(try numbers(reader) == Array(0..<200) + [1000])
  }

  /// As a reader meets it beside many who write, now and then.
  @Test func `an index that is just being written is waited for`() throws {
    let other = try OtherProgram(on: path)
    try other.run("SELECT count(*) FROM t")
    let writing = try OtherProgram(
      python: """
        import os, sys
        file = os.open(sys.argv[1] + "-shm", os.O_RDWR)
        # Both copies of the header; the marks of readers behind them are never other than whole.
        whole = os.pread(file, 96, 0)
        print("begun", flush=True)
        while True:
            # Not in one piece, as whoever writes it does it.
            os.pwrite(file, os.urandom(96), 0)
            os.pwrite(file, whole, 0)
        """, path)
    try writing.wait()
    for _ in 0..<300 {
      let reader = try untouched()
      for _ in 0..<3 { #expect(try numbers(reader) == Array(0..<200)) }
    }
    writing.end()
  }

  @Test func `an index that nobody finishes is told apart from a database that can't be read`()
    throws
  {
    let other = try OtherProgram(on: path)
    try other.run("SELECT count(*) FROM t")
    try OtherProgram.breakIndex(of: path)
    let error = #expect(throws: SQLiteError.self) { try untouched() }
    #expect(error?.isIndexUnfinished == true)
    // As each of those does who write.
    let repairing = try Connection(path: path, access: .readOnly)
    repairing.close()
    #expect(try numbers(untouched()) == Array(0..<200))
  }

  @Test func `an empty database keeps its log, in which all may be that is left`() throws {
    try Data().write(to: URL(filePath: path))
    let before = try contents()
    let reader = try untouched()
    #expect(try reader.integer("PRAGMA user_version") == 0)
    reader.close()
    #expect(try contents() == before)
  }

  // MARK: -

  private func untouched() throws -> Connection {
    try Connection(path: path, access: .readOnlyUntouched)
  }

  private func numbers(_ db: Connection) throws -> [Int] {
    guard try db.integer("SELECT count(*) FROM sqlite_schema WHERE name = 't'") == 1 else {
      return []
    }
    let rows = try db.prepare("SELECT a FROM t ORDER BY a")
    var numbers: [Int] = []
    while try rows.step() { numbers.append(rows.int(0)) }
    return numbers
  }

  private func contents() throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      contents[name] = try Data(contentsOf: URL(filePath: folder.file(name)))
    }
    return contents
  }

  private static func random(_ count: Int) -> Data {
    Data((0..<count).map { _ in UInt8.random(in: 0...255) })
  }

  private func replace(_ suffix: String, _ index: Index) throws {
    let url = URL(filePath: path + suffix)
    let size = try Data(contentsOf: url).count
    switch index {
    case .whole: break
    case .missing: try FileManager.default.removeItem(at: url)
    case .empty: try Data().write(to: url)
    case .zeros: try Data(count: size).write(to: url)
    case .random: try Self.random(size).write(to: url)
    }
  }
}

/// A program that has a database open as any other program has.
final class OtherProgram {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init(python script: String, _ arguments: String...) throws {
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script] + arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// One that runs the statements that it is given.
  convenience init(on path: String) throws {
    try self.init(
      python: """
        import sqlite3, sys
        db = sqlite3.connect(sys.argv[1], isolation_level=None)
        db.execute("PRAGMA wal_autocheckpoint = 0")
        for line in sys.stdin:
            db.execute(line).fetchall()
            print("done", flush=True)
        """, path)
  }

  deinit { end() }

  func run(_ statement: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(statement)\n".utf8))
    try wait()
  }

  /// Waits until it has printed something.
  func wait() throws {
    try #require(try !(output.fileHandleForReading.read(upToCount: 5) ?? Data()).isEmpty)
  }

  func end() {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Leaves the index of a log as a program does that was killed while it wrote it.
  ///
  /// A process of its own: this one would give up the locks of all its connections when it closed the file.
  static func breakIndex(of path: String) throws {
    let program = try OtherProgram(
      python: """
        import os, sys
        file = os.open(sys.argv[1] + "-shm", os.O_RDWR)
        os.pwrite(file, bytes(96), 0)
        print("done", flush=True)
        """, path)
    try program.wait()
    program.process.waitUntilExit()
  }
}
