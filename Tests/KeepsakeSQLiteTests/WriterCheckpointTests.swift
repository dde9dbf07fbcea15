import KeepsakeFiles
import Foundation
import Testing

@testable import KeepsakeSQLite

struct WriterCheckpointTests {
  let fixture: WriterFixture

  init() throws {
    fixture = try WriterFixture()
  }

  /// Commits one transaction of about 50 pages after another, and gives the log's length after each.
  private func fill(_ writer: Writer, commits: Range<Int>) async throws -> [Int] {
    var pages: [Int] = []
    for number in commits {
      try await writer.write { try $0.insert(number, bytes: 200_000) }
      // The exclusive request comes after the checkpoint that the write may have caused.
      pages.append(try await writer.exclusively { $0.walPages })
    }
    return pages
  }

  @Test func `the log stays bounded`() async throws {
    let writer = try fixture.writer(.init(lock: fixture.fairLock()))
    let pages = try await fill(writer, commits: 0..<100)
    // An attempt is put off, up to 8,000 pages, where the next request is there before it.
    #expect(pages.max() ?? 0 < 8100)
    #expect((1...6).contains(writer.statistics.checkpoints))
    #expect(writer.statistics.busyCheckpoints == 0)
    #expect(writer.statistics.failedCheckpoints == 0)
    await writer.close()
  }

  @Test func `a reader that holds a snapshot does not cause a checkpoint at each commit`()
    async throws
  {
    let writer = try fixture.writer(.init(lock: fixture.fairLock()))
    let reader = try Connection(path: fixture.path, access: .readOnly)
    try reader.execute("BEGIN; SELECT a FROM t")
    let pages = try await fill(writer, commits: 0..<100)
    #expect(pages.last ?? 0 > 4900)
    #expect((1...6).contains(writer.statistics.checkpoints))
    #expect(writer.statistics.busyCheckpoints == writer.statistics.checkpoints)
    // When the reader goes, the log is written from its beginning again.
    try reader.execute("COMMIT")
    let later = try await fill(writer, commits: 100..<200)
    #expect(later.min() ?? .max < 1100)
    await writer.close()
  }

  @Test func `of a loop that has the connection for itself the log begins anew, too`()
    async throws
  {
    let writer = try fixture.writer(.init(lock: fixture.fairLock()))
    let pages = try await onThread {
      // Each as long as the one before it: the second log has as many pages as the first when it is due.
      try (0..<600).map { number in
        let pages = try writer.writeBlocking { transaction in
          try transaction.insert(number, bytes: 20_000)
          return transaction.db.walPages
        }
        // The checkpoint is the writer's thread's, which then finds nothing else to do, as where people write.
        if pages >= 1000 { Thread.sleep(forTimeInterval: 0.02) }
        return pages
      }
    }
    #expect(pages.max() ?? 0 < 1500)
    await writer.close()
  }

  /// By how much the log's file is longer than a log of so many pages.
  private func spare(of pages: Int) throws -> Int64 {
    let log = try Directory(path: fixture.folder.path).status("store.sqlite-wal")
    return try #require(log).size - (32 + Int64(pages) * 4120)
  }

  @Test func `a log that begins anew is as long as its pages`() async throws {
    let writer = try fixture.writer(.init(lock: fixture.fairLock()))
    let pages = try await fill(writer, commits: 0..<38)
    let longest = try #require(pages.max())
    #expect((1000..<2000).contains(longest))
    #expect(try spare(of: longest) == 0)
    await writer.close()
  }

  @Test func `a log that a reader makes grow is longer than its pages, and all reads back from it`()
    async throws
  {
    let writer = try fixture.writer(.init(lock: fixture.fairLock()))
    let reader = try Connection(path: fixture.path, access: .readOnly)
    try reader.execute("BEGIN; SELECT a FROM t")
    _ = try await fill(writer, commits: 0..<50)
    var spares: [Int64] = []
    for number in 50..<200 {
      try await writer.write { try $0.insert(number) }
      spares.append(try spare(of: try await writer.exclusively { $0.walPages }))
    }
    #expect(spares.min() ?? 0 > 32 << 10)
    #expect(spares.max() ?? 0 < 512 << 10)
    // One that makes the file longer is followed by many that don't.
    #expect(zip(spares, spares.dropFirst()).count { $0 < $1 } < 20)
    // As after a crash: what is on disk now, with nobody's index of the log.
    let copy = try TemporaryFolder()
    for name in ["store.sqlite", "store.sqlite-wal"] {
      try FileManager.default.copyItem(atPath: fixture.folder.file(name), toPath: copy.file(name))
    }
    let recovered = try Connection(path: copy.file("store.sqlite"), access: .readWrite)
    let count = try recovered.prepare("SELECT count(*), max(a) FROM t")
    #expect(try count.step())
    #expect(count.int(0) == 200)
    #expect(count.int(1) == 199)
    #expect(try recovered.integrityCheck(quick: false) == [])
    try reader.execute("COMMIT")
    await writer.close()
  }

  @Test func `a log that a reader made long is cut when the reader is gone, while others write on`()
    async throws
  {
    let writer = try fixture.writer(.init(lock: fixture.fairLock()))
    let reader = try Connection(path: fixture.path, access: .readOnly)
    try reader.execute("BEGIN; SELECT a FROM t")
    for number in 0..<24 { try await writer.write { try $0.insert(number, bytes: 4_000_000) } }
    let long = try #require(try Directory(path: fixture.folder.path).status("store.sqlite-wal"))
    #expect(long.size > 90 << 20)
    try reader.execute("COMMIT")
    _ = try await fill(writer, commits: 24..<60)
    let cut = try #require(try Directory(path: fixture.folder.path).status("store.sqlite-wal"))
    #expect(cut.size <= 64 << 20)
    #expect(try fixture.stored() == Array(0..<60))
    await writer.close()
  }

  // SQLite before 3.51.3 loses commits that another connection makes during a checkpoint.
  @Test func `F8: nobody writes the log back while another one holds the lock, nor at the end`()
    async throws
  {
    func database() throws -> Data { try Data(contentsOf: URL(filePath: fixture.path)) }
    let writer = try fixture.writer(.init(lock: fixture.fairLock()))
    let pages = try await fill(writer, commits: 0..<10)
    #expect(pages.last ?? 0 > 400)
    let before = try database()
    let other = try fixture.fairLock()
    try other.lock()
    await writer.close()
    #expect(writer.statistics.checkpoints == 0)
    #expect(try database() == before)
    try other.unlock()
    let next = try fixture.writer(.init(lock: fixture.fairLock()))
    try await next.write { try $0.insert(10) }
    await next.close()
    #expect(next.statistics.checkpoints == 1)
    #expect(try database().count > before.count)
    #expect(try fixture.stored() == Array(0...10))
  }

  @Test func `a short-lived writer leaves a small log alone`() async throws {
    let writer = try fixture.writer(.init(lock: fixture.fairLock()))
    try await writer.write { try $0.insert(1) }
    await writer.close()
    #expect(writer.statistics.checkpoints == 0)
    let other = try fixture.writer(.init(lock: fixture.fairLock()))
    _ = try await fill(other, commits: 2..<6)
    await other.close()
    #expect(other.statistics.checkpoints == 1)
  }

  @Test func `many short-lived writers, one after the other, leave no more than one of them may`()
    async throws
  {
    var longest: Int64 = 0
    for number in 0..<60 {
      let writer = try fixture.writer(.init(lock: fixture.fairLock()))
      try await writer.write { try $0.insert(number, bytes: 40_000) }
      await writer.close()
      let log = try Directory(path: fixture.folder.path).status("store.sqlite-wal")
      longest = max(longest, log?.size ?? 0)
    }
    // 60 writers of 12 pages each write 720.
    #expect(longest < 125 * 4120)
    #expect(try fixture.stored() == Array(0..<60))
  }

  @Test func `an attempt is due every 1,000 pages, and the count follows the log`() {
    var policy = CheckpointPolicy()
    #expect(policy.next(pages: 0) == nil)
    #expect(policy.next(pages: 999) == nil)
    #expect(policy.next(pages: 1000) == .passive)
    #expect(policy.next(pages: 1000) == nil)
    #expect(policy.next(pages: 1999) == nil)
    #expect(policy.next(pages: 2500) == .passive)
    // The log was started anew.
    #expect(policy.next(pages: 10) == nil)
    #expect(policy.next(pages: 1001) == .passive)
    // The same where a caller asks, who attempts nothing.
    let isDue = [policy.isDue(pages: 10), policy.isDue(pages: 1001)]
    #expect(isDue == [false, true])
  }

  @Test func `while several write an attempt is put off, but not for ever`() {
    var policy = CheckpointPolicy()
    #expect(policy.next(pages: 7999, isBusy: true) == nil)
    #expect(policy.next(pages: 8000, isBusy: true) == .passive)
    #expect(policy.next(pages: 15_999, isBusy: true) == nil)
    #expect(policy.next(pages: 15_999) == .passive)
  }

  @Test func `above 64 MiB the log is to be restarted, but not while readers keep it busy`() {
    var policy = CheckpointPolicy()
    let limit = CheckpointPolicy.restartAbove
    #expect(policy.next(pages: limit) == .passive)
    #expect(policy.next(pages: limit + 1000) == .restart)
    policy.restartWasBusy()
    #expect(policy.next(pages: limit + 2000) == .passive)
    #expect(policy.next(pages: (limit + 1000) * 5 / 4) == .restart)
    #expect(policy.next(pages: 5) == nil)
    #expect(policy.next(pages: limit + 1000) == .restart)
  }
}
