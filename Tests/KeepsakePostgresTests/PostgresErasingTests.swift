import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHubConformance
import KeepsakeTestSupport
import Testing

@testable import KeepsakePostgres

/// Erasing and deleting take the place of all versions of a session, and come too late if another store has changed the session meanwhile.
@Suite(.enabled(if: PostgresServer.isHere, PostgresServer.obstacle))
struct `A session to which another store writes all the time` {
  @Test func `can be erased in`() async throws {
    try await change { _, session in
      _ = try await session.erase(0)
    } afterwards: { writer, session in
      let entries = try await writer.session(session).entries.all()
      #expect(entries.map(\.isErased) == [true, false, false, false])
    }
  }

  @Test func `can be deleted`() async throws {
    try await change { store, session in
      _ = try await store.deleteSession(session.id)
    } afterwards: { writer, session in
      let error = await #expect(throws: KeepsakeError.self) { try await writer.session(session) }
      #expect(error?.code == .notFound)
    }
  }

  /// Changes a session of two entries. Just before each attempt, another store begins to append an entry, and has to wait from the second
  /// attempt on.
  private func change(
    _ change: (Store, Keepsake.Session) async throws -> Void,
    afterwards check: (Store, UUID) async throws -> Void
  ) async throws {
    let server = try #require(PostgresServer.shared)
    let database = try await server.database()
    let writers = try await Workers(1, server.address(database))
    let written = try await writers.stores[0].createSession()
    for text in ["secret", "kept"] { try await written.append(.prompt(text)) }
    let plan = EventfulHub.Plan()
    let address = HubAddress(server.address(database)) {
      let hub = try await PostgresHub.open(
        at: server.address(database), expecting: $0.id, making: $0.mayMake,
        patience: PostgresPatience(holding: .seconds(60)))
      return EventfulHub(hub: hub, plan: plan)
    }
    let store = try await Store(
      at: FileManager.default.temporaryDirectory
        .appending(path: "\(UUID().uuidString.lowercased()).keepsake"),
      joining: address, as: .shared, options: .init(patience: .seconds(60)))
    let session = try await store.session(written.id)
    let appends = Locked<[Task<Void, any Error>]>([])
    @Sendable func beginAppend(_ left: Int) async throws {
      let isOver = Locked(false)
      let append = Task {
        defer { isOver.withLock { $0 = true } }
        try await written.append(.prompt("attempt \(left)"))
      }
      appends.withLock { $0.append(append) }
      while !isOver.withLock({ $0 }) {
        if try await server.waiting(database) > 0 { break }
        try await Task.sleep(for: .milliseconds(5))
      }
      if left > 0 { plan.next(.beforeCommit) { try await beginAppend(left - 1) } }
    }
    plan.next(.beforeCommit) { try await beginAppend(5) }
    try await change(store, session)
    #expect(appends.withLock { $0.count } == 2)
    for append in appends.withLock({ $0 }) { _ = await append.result }
    try await check(writers.stores[0], written.id)
    #expect(try await store.verify(.init(readData: true)).isSound)
    try await store.removeTemporary()
    try await writers.end()
  }
}
