import Foundation
import Testing

@testable import Keepsake

/// Opening a store: what is made, what is found again, and what reading leaves alone.
@Suite struct `Opening a store` {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  @Test func `makes it, and finds the same one again`() async throws {
    let store = try await Store(at: folder.store)
    let session = try await store.createSession(title: "Fruit")
    await store.close()
    let again = try await Store(at: folder.store, options: .init(access: .readWriteExisting))
    #expect(again.id == store.id)
    #expect(again.url == store.url)
    #expect(try await again.session(session.id).summary().title == "Fruit")
    await again.close()
  }

  @Test(arguments: [Store.Options.Access.readWriteExisting, .readOnly])
  func `makes none where none is asked for`(access: Store.Options.Access) async throws {
    let error = await keepsakeError {
      try await Store(at: folder.store, options: .init(access: access))
    }
    #expect(error?.code == .notFound)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }

  @Test func `gives each handle its own clock`() async throws {
    let early = Date(timeIntervalSince1970: 1_000)
    let late = Date(timeIntervalSince1970: 2_000)
    let first = try await Store(at: folder.store, options: .init(now: { early }))
    let second = try await Store(at: folder.store, options: .init(now: { late }))
    #expect(try await first.createSession().summary().created == early)
    #expect(try await second.createSession().summary().created == late)
    await first.close()
    await second.close()
  }

  @Test func `for reading changes no byte, beside a writer and after it`() async throws {
    let store = try await Store(at: folder.store)
    let session = try await store.createSession()
    try await session.append(.prompt("zero"))
    let reader = try await Store(at: folder.store, options: .readOnly)
    #expect(try await reader.session(session.id).texts() == ["zero"])
    let error = await keepsakeError { try await reader.session(session.id).append(.prompt("one")) }
    #expect(error?.code == .readOnly)
    try await session.append(.prompt("one"))
    #expect(try await reader.session(session.id).texts() == ["zero", "one"])
    await reader.close()
    await store.close()

    let before = try TestFolder.contents(of: folder.store)
    let again = try await Store(at: folder.store, options: .readOnly)
    #expect(try await again.session(session.id).texts() == ["zero", "one"])
    await again.close()
    var after = try TestFolder.contents(of: folder.store)
    if before["store.sqlite-shm"] == nil { after["store.sqlite-shm"] = nil }
    #expect(after.keys.sorted() == before.keys.sorted())
    #expect(after["store.sqlite"] == before["store.sqlite"])
  }

  @Test func `in the temporary folder gives one that can be removed`() async throws {
    let store = try await Store.temporary()
    let other = try await Store.temporary()
    #expect(store.url != other.url)
    #expect(FileManager.default.fileExists(atPath: store.url.path))
    try await store.removeTemporary()
    #expect(!FileManager.default.fileExists(atPath: store.url.path))
    let error = await keepsakeError { try await store.createSession() }
    #expect(error?.code == .closed)
    try await other.removeTemporary()
  }

  @Test func `makes sessions of both handles of one store the same`() async throws {
    let first = try await Store(at: folder.store)
    let second = try await Store(at: folder.store)
    let session = try await first.createSession()
    let same = try await second.session(session.id)
    #expect(session == same)
    #expect(Set([session, same]).count == 1)
    await first.close()
    await second.close()
  }
}
