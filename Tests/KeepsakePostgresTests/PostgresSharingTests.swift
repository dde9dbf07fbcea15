import Foundation
import Keepsake
import KeepsakeFiles
import Testing

@testable import KeepsakePostgres

/// Stores on several machines that share the sessions of a database, whose server is killed or replaced meanwhile.
@Suite(.serialized, .enabled(if: PostgresServer.isHere, PostgresServer.obstacle))
struct `Stores that share the sessions of a database` {
  @Test func `go on with each other's conversations`() async throws {
    let server = try #require(PostgresServer.shared)
    let workers = try await Workers(2, server.address(try await server.database()))
    let session = try await workers.stores[0].createSession(title: "Fruit")
    try await session.append(
      .prompt("a banana?"), attaching: [.init(.data(Data(repeating: 7, count: 300_000)))])
    let other = try await workers.stores[1].session(session.id)
    try await other.append(.response("a green one"))
    try await session.refresh()
    #expect(try await session.entries.all().map(\.text) == ["a banana?", "a green one"])
    let image = try #require(try await other.entries.all()[0].attachments.first?.artifact)
    #expect(try await image.data() == Data(repeating: 7, count: 300_000))
    try await other.erase(0)
    try await session.refresh()
    #expect(try await session.entries.all()[0].isErased)
    try await workers.stores[0].deleteSession(session.id)
    await #expect(throws: KeepsakeError.self) { try await workers.stores[1].session(session.id) }
    try await workers.end()
  }

  @Test func `are opened as the README shows`() async throws {
    let server = try #require(PostgresServer.shared)
    let database = server.address(try await server.database())
    let workers = try await Workers(1, database)
    let id = try await workers.stores[0].createSession().id
    let cache = FileManager.default.temporaryDirectory
      .appending(path: "\(UUID().uuidString.lowercased()).keepsake")
    // snippet: sharing
    let store = try await Store(at: cache, joining: .postgres(database), as: .shared)
    let session = try await store.session(id)
    try await session.append(.prompt("and a green one?"))
    // end snippet
    #expect(try await workers.stores[0].session(id).count() == 1)
    try await store.removeTemporary()
    try await workers.end()
  }

  @Test func `have each acknowledged entry once when the server is killed`() async throws {
    let server = try await onOwnThread { try PostgresServer() }
    try await write(to: server, rounds: 2) {
      try server.crash()
      try server.start()
    }
  }

  @Test func `have each acknowledged entry once when a standby takes over`() async throws {
    let pair = try await onOwnThread { try PostgresServer("postgres-pair") }
    try await write(to: pair, rounds: 1) { try pair.promote() }
  }

  /// Has tasks of three stores append to one session, and to sessions of their own, while something happens to the server.
  private func write(
    to server: PostgresServer, rounds: Int, _ happening: @escaping @Sendable () throws -> Void
  ) async throws {
    let address = server.address(try await server.database())
    let workers = try await Workers(3, address)
    let common = try await workers.stores[0].createSession(title: "common").id
    let told = Locked<[UUID: (acknowledged: [String], unknown: Set<String>)]>([:])
    let count = Locked(0)
    let isOver = Locked(false)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, store) in workers.stores.enumerated() {
        for task in 0..<3 {
          group.addTask {
            let session =
              try await task == 0
              ? store.session(common) : store.createSession(title: "\(index) \(task)")
            for number in 0... {
              if isOver.withLock({ $0 }) { return }
              let text = "\(index) \(task) \(number)"
              do {
                try await session.append(.prompt(text))
                told.withLock { $0[session.id, default: ([], [])].acknowledged.append(text) }
                count.withLock { $0 += 1 }
              } catch {
                told.withLock { _ = $0[session.id, default: ([], [])].unknown.insert(text) }
              }
            }
          }
        }
      }
      group.addTask {
        defer { isOver.withLock { $0 = true } }
        for round in 1...rounds {
          while count.withLock({ $0 }) < round * 60 { try await Task.sleep(for: .milliseconds(5)) }
          try await onOwnThread(happening)
        }
        let before = count.withLock { $0 }
        while count.withLock({ $0 }) < before + 60 { try await Task.sleep(for: .milliseconds(5)) }
      }
      try await group.waitForAll()
    }
    // A machine that has nothing yet reads what the hub has.
    let reader = try await Workers(1, address)
    for (id, told) in told.withLock({ $0 }) {
      let texts = try await reader.stores[0].session(id).entries.all().map(\.text)
      #expect(Set(texts).count == texts.count)
      #expect(Set(told.acknowledged).isSubset(of: texts))
      #expect(Set(texts).subtracting(told.acknowledged).isSubset(of: told.unknown))
    }
    #expect(try await reader.stores[0].verify(.init(readData: true)).isSound)
    let unknown = told.withLock { $0.values.reduce(0) { $0 + $1.unknown.count } }
    print("\(rounds) times: \(count.withLock { $0 }) appends, \(unknown) unknown")
    try await reader.end()
    try await workers.end()
  }
}
