import Foundation
import Keepsake
import Testing

/// What happens to a store's folder while it is open.
@Suite struct `A store that is open` {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  @Test func `takes no change when it was deleted`() async throws {
    let store = try await Store(at: folder.store)
    let session = try await store.createSession()
    try FileManager.default.removeItem(at: folder.store)
    try await expectReplaced(store, session)
  }

  @Test func `takes no change when it was moved`() async throws {
    let store = try await Store(at: folder.store)
    let session = try await store.createSession()
    let elsewhere = folder.url.appending(path: "Elsewhere.keepsake")
    try FileManager.default.moveItem(at: folder.store, to: elsewhere)
    try await expectReplaced(store, session)

    let moved = try await Store(at: elsewhere)
    #expect(try await moved.session(session.id).count() == 0)
    await moved.close()
  }

  @Test func `takes no change when another store came in its place`() async throws {
    let store = try await Store(at: folder.store)
    let session = try await store.createSession()
    try FileManager.default.moveItem(
      at: folder.store, to: folder.url.appending(path: "Elsewhere.keepsake"))
    let other = try await Store(at: folder.store)
    #expect(other.id != store.id)
    try await expectReplaced(store, session)
    #expect(try await other.sessions().sessions.isEmpty)
    await other.close()
  }

  /// As a person does who restores a backup under a running program.
  @Test func `takes no change when another database came in the place of its own`() async throws {
    let store = try await Store(at: folder.store)
    let session = try await store.createSession()
    let backup = folder.url.appending(path: "Backup.keepsake")
    let made = try await Store(at: backup)
    await made.close()
    for name in ["store.sqlite-wal", "store.sqlite-shm", "store.sqlite"] {
      let place = folder.store.appending(path: name)
      try FileManager.default.removeItem(at: place)
      let source = backup.appending(path: name)
      if name == "store.sqlite" { try FileManager.default.copyItem(at: source, to: place) }
    }
    try await expectReplaced(store, session)
  }

  private func expectReplaced(_ store: Store, _ session: Session) async throws {
    let small = await keepsakeError { try await session.append(.prompt("to whom?")) }
    #expect(small?.code == .replaced)
    #expect(small?.message.contains("open it again") == true)
    let large = await keepsakeError {
      try await session.attach(.init(.bytes([UInt8](repeating: 7, count: 300_000))))
    }
    #expect(large?.code == .replaced)
    await store.close()
  }
}
