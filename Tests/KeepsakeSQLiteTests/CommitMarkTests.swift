import Foundation
import KeepsakeSQLite
import Testing

/// The mark by which one tells, without reading, that nobody committed since.
struct CommitMarkTests {
  let folder: TemporaryFolder
  let writer: Connection
  let reader: Connection

  init() throws {
    folder = try TemporaryFolder()
    writer = try Connection(path: folder.file("a.sqlite"), access: .create)
    try writer.execute("CREATE TABLE t (a INTEGER) STRICT; INSERT INTO t (a) VALUES (1)")
    reader = try Connection(path: writer.path, access: .readOnly)
  }

  @Test func `reading, and a transaction that is undone, leave it as it is`() throws {
    let before = try #require(reader.newestCommit)
    #expect(try reader.integer("SELECT count(*) FROM t") == 1)
    try writer.execute("BEGIN; INSERT INTO t (a) VALUES (2)")
    #expect(reader.newestCommit == before)
    try writer.execute("ROLLBACK")
    #expect(reader.newestCommit == before)
    #expect(writer.newestCommit == before)
  }

  @Test func `a commit changes it before anybody has read what was committed`() throws {
    var before = try #require(reader.newestCommit)
    for number in 0..<100 {
      try writer.execute("INSERT INTO t (a) VALUES (\(number))")
      let after = try #require(reader.newestCommit)
      #expect(after != before)
      before = after
    }
  }

  @Test(arguments: ["INSERT INTO t (a) VALUES (3)", "PRAGMA user_version = 7", "VACUUM"])
  func `another process that commits changes it`(_ sql: String) throws {
    let before = try #require(reader.newestCommit)
    let other = try OtherProgram(on: writer.path)
    try other.run(sql)
    #expect(reader.newestCommit != before)
  }

  @Test func `a log that begins anew never has a mark that it had`() throws {
    var seen = [try #require(reader.newestCommit)]
    for _ in 0..<20 {
      // Each round writes the same pages to the beginning of an empty log, so the log alone looks as it did.
      try writer.execute("UPDATE t SET a = 5")
      try writer.checkpoint(.truncate)
      try writer.execute("UPDATE t SET a = 5")
      let now = try #require(reader.newestCommit)
      #expect(!seen.contains(now))
      seen.append(now)
    }
  }

  @Test func `where it can't be told there is none`() throws {
    #expect(try Connection(path: writer.path, access: .readOnlyUntouched).newestCommit == nil)
    let plain = folder.file("plain.sqlite")
    try OtherProgram(on: plain).run("CREATE TABLE t (a INTEGER)")
    let db = try Connection(path: plain, access: .readOnly)
    #expect(db.newestCommit == nil)
    // Nor is an index made by asking.
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(!names.contains("plain.sqlite-shm"))
    reader.close()
    #expect(reader.newestCommit == nil)
  }
}
