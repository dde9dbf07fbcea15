import Foundation
import Keepsake
import KeepsakeFiles
import Testing

@testable import KeepsakePostgres

/// A deleted session stays at the hub with what its forks share, and a store tells the hub what that is from the forks that it has. So it
/// asks the hub for the other forks first.
@Suite(.enabled(if: PostgresServer.isHere, PostgresServer.obstacle))
struct `Stores that share a database and have only some forks of a deleted session` {
  private let texts = ["a banana", "an apple", "a pear"]

  private func origin(in store: Store) async throws -> Session {
    let session = try await store.createSession(title: "Fruit")
    for text in texts { try await session.append(.prompt(text)) }
    return session
  }

  /// Expects that a store which has nothing yet reads a fork with all that it shares.
  private func expectWhole(_ fork: UUID, _ address: String, count: Int = 3) async throws {
    let late = try await Workers(1, address)
    let read = try await late.stores[0].session(fork)
    #expect(try await read.entries.all().map(\.text) == texts.prefix(count) + ["a plum"])
    #expect(try await late.stores[0].verify().isSound)
    try await late.end()
  }

  @Test(arguments: [false, true])
  func `leave the hub what the other forks share`(alsoDeletes: Bool) async throws {
    let server = try #require(PostgresServer.shared)
    let address = server.address(try await server.database())
    let workers = try await Workers(2, address)
    let origin = try await origin(in: workers.stores[0])
    let (short, long) = (try await origin.fork(before: 1), try await origin.fork(before: 3))
    try await long.append(.response("a plum"))
    try await workers.stores[0].deleteSession(origin.id)
    // The second store asks for the short fork, and for nothing else.
    let read = try await workers.stores[1].session(short.id)
    #expect(try await read.entries.all().map(\.text) == ["a banana"])
    if alsoDeletes { try await workers.stores[1].deleteSession(short.id) }
    try await expectWhole(long.id, address)
    try await workers.end()
  }

  @Test func `leave the hub what a fork shares that was made while they deleted the session`()
    async throws
  {
    let server = try #require(PostgresServer.shared)
    let database = try await server.database()
    let address = server.address(database)
    let workers = try await Workers(2, address)
    let (first, second) = (workers.stores[0], workers.stores[1])
    let origin = try await origin(in: first)
    let known = try await second.session(origin.id)
    // The deletion waits for the row of the session, so that the fork comes between the question for forks and the deletion.
    let isLocked = Locked(false)
    let isOver = Monitor(false)
    let options = try PostgresAddress(address).options
    let deadline = Instant.now.advanced(by: .seconds(60))
    async let lock: Void = onOwnThread {
      let connection = try PostgresConnection(options)
      try connection.run("BEGIN; SELECT * FROM keepsake.head FOR UPDATE", until: deadline)
      isLocked.withLock { $0 = true }
      _ = isOver.wait(until: deadline) { $0 ? () : nil }
      try connection.run("COMMIT", until: deadline)
    }
    while !isLocked.withLock({ $0 }) {
      try #require(.now < deadline)
      try await Task.sleep(for: .milliseconds(5))
    }
    async let deletion = first.deleteSession(origin.id)
    while try await server.waiting(database) == 0 {
      try #require(.now < deadline)
      try await Task.sleep(for: .milliseconds(5))
    }
    let fork = try await known.fork(before: 2)
    try await fork.append(.response("a plum"))
    isOver.withLock { $0 = true }
    isOver.broadcast()
    try await lock
    _ = try await deletion
    try await expectWhole(fork.id, address, count: 2)
    try await workers.end()
  }
}
