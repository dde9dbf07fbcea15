import KeepsakeFiles
import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

@Suite(
  .disabled(
    if: SharedStores.areUsed, "In stores that share, changes that wait go into one transaction."))
struct `A store that is suspended` {
  @Test func `holds no lock, has written what was asked, and goes on when it is wanted`()
    async throws
  {
    var options = Store.Options()
    options.searchDelay = .seconds(3600)
    try await withTemporaryStore(options: options) { store in
      let session = try await store.createSession()
      let draft = try await session.draft()
      #expect(store.handle.streamer != nil)
      let handle = store.handle
      let hasBegun = Monitor(false)
      let isOpen = Monitor(false)
      // So much that the writer's thread does it: none of those that tasks share must wait here.
      let holder = Task {
        try await handle.write(bytes: 1 << 30) { _ in
          hasBegun.withLock { $0 = true }
          isOpen.wait { $0 ? () : nil }
        }
      }
      while !hasBegun.withLock({ $0 }) { await Task.yield() }
      let writes = (0..<20).map { number in
        Task { try await session.append(.prompt("\(number)")) }
      }
      // Whoever came only later would take the lock again.
      while handle.database.writer?.statistics.waiting ?? 20 < 20 { await Task.yield() }
      async let suspended: Void = store.suspend()
      isOpen.withLock { $0 = true }
      isOpen.broadcast()
      await suspended
      try await holder.value

      // Another open file of the same process has to wait for a lock as another process has.
      let lock = try FileLock(path: store.handle.layout.lockPath)
      #expect(try lock.tryLock(.exclusive))
      try lock.unlock()
      #expect(store.handle.streamer == nil)

      for write in writes { _ = try await write.value }
      try await draft.finish(.response("done"))
      #expect(try await session.entries.all().count == 21)
      let another = try await session.draft()
      #expect(try await session.drafts().map(\.isInterrupted) == [false])
      try await another.finish(.response("and more"))
      await store.suspend()
      await store.suspend()
    }
  }

  @Test func `does not begin to index by itself`() async throws {
    var options = Store.Options()
    options.searchDelay = .milliseconds(20)
    try await withTemporaryStore(options: options) { store in
      let session = try await store.createSession()
      try await session.append(.prompt("banana"))
      await store.suspend()
      let before = try indexed(in: store)
      try await Task.sleep(for: .milliseconds(200))
      #expect(try indexed(in: store) == before)
      #expect(try await store.search("banana").hits.count == 1)
    }
  }

  /// How many entries are in the index of search.
  private func indexed(in store: Store) throws -> Int {
    let db = try store.handle.database.readers.makeConnection()
    defer { db.close() }
    let find = try db.prepare("SELECT count(*) FROM document")
    return try find.step() ? find.int(0) : 0
  }
}
