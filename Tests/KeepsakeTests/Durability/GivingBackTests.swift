import KeepsakeFiles
import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

/// What was deleted leaves room in the database; where that is much, it is given back.
@Suite("Space of what was deleted")
struct GivingBackTests {
  /// A store of 32 MB with a session that stays, and the rest deleted.
  private func withDeleted(_ body: (TestFolder, Store) async throws -> Void) async throws {
    let folder = try TestFolder()
    let store = try await Store(at: folder.store, options: .withoutIndexing)
    let kept = try await store.createSession(title: "kept")
    try await kept.append(.prompt("stays"))
    let session = try await store.createSession()
    for number in 0..<3 {
      let bytes = (0..<90).map { index in
        [UInt8(number), UInt8(index)] + [UInt8](repeating: 7, count: 120_000)
      }
      try await session.append(.prompt("gone"), attaching: bytes.map { .init(.bytes($0)) })
    }
    let before = try await store.health()
    #expect(before.databaseBytes > 30_000_000)
    #expect(!before.isWorthCompacting)
    try await store.deleteSession(session.id)
    let health = try await store.health()
    #expect(health.freeBytes > 30_000_000)
    #expect(health.isWorthCompacting)
    try await body(folder, store)
    await store.close()
  }

  private func size(_ folder: TestFolder) throws -> Int {
    try FileManager.default.attributesOfItem(
      atPath: folder.store.appending(path: "store.sqlite").path)[.size] as? Int ?? 0
  }

  @Test func `goes back to the disk once nobody wants anything`() async throws {
    try await withDeleted { folder, store in
      await store.close()
      #expect(try size(folder) > 30_000_000)
      var options = Store.Options()
      options.searchDelay = .milliseconds(1)
      let again = try await Store(at: folder.store, options: options)
      while try size(folder) > 1_000_000 { try await Task.sleep(for: .milliseconds(1)) }
      let session = try #require(try await again.sessions().sessions.first)
      #expect(try await again.session(session.id).entry(at: 0).text == "stays")
      #expect(try await again.search("stays").hits.count == 1)
      try await DeletingTests.isSound(again)
      await again.close()
    }
  }

  @Test func `stays where it is little, or a small part`() {
    #expect(!DatabaseSpace.isWorthwhile(all: 15 << 20, free: 14 << 20))
    #expect(!DatabaseSpace.isWorthwhile(all: 1 << 30, free: 200 << 20))
    #expect(DatabaseSpace.isWorthwhile(all: 1 << 30, free: 256 << 20))
    #expect(DatabaseSpace.isWorthwhile(all: 17 << 20, free: 16 << 20))
  }

  @Test func `is given back by a process that ends soon, and beside a reader`() async throws {
    try await withDeleted { folder, store in
      let other = try Store(path: folder.store.path, options: .readOnly, registry: StoreRegistry())
      #expect(try await store.giveBack() > 30_000_000)
      #expect(try size(folder) < 1_000_000)
      #expect(try await store.giveBack() == 0)
      #expect(try await other.sessions().sessions.count == 1)
      await other.close()
    }
  }
}
