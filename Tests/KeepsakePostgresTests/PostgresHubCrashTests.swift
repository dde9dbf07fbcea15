import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHubConformance
import KeepsakeTestSupport
import Testing

@testable import KeepsakePostgres

/// Servers that are killed, and that only warn.
@Suite(.serialized, .enabled(if: PostgresServer.isHere, PostgresServer.obstacle))
struct `A hub in PostgreSQL whose server fails` {
  private static let server = try? PostgresServer()

  @Test func `loses nothing that it acknowledged when it is killed`() async throws {
    let server = try #require(Self.server)
    try await write(server, rounds: 2) {
      try server.crash()
      try server.start()
    }
  }

  @Test func `loses nothing that it acknowledged when a standby takes over`() async throws {
    let pair = try await onOwnThread { try PostgresServer("postgres-pair") }
    try await write(pair, rounds: 1) { try pair.promote() }
  }

  /// Has tasks write while something happens to the server, and holds the hub against what they were told.
  private func write(
    _ server: PostgresServer, rounds: Int, _ happening: @escaping @Sendable () throws -> Void
  ) async throws {
    let address = server.address(try await server.database())
    let ledger = Ledger()
    let sessions = (0..<4).map { _ in UUID() }
    let first = try await PostgresHub.open(at: address, making: true)
    let promises = try await first.promises()
    await first.close()
    let isOver = Locked(false)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        let hub = try await PostgresHub.open(
          at: address,
          patience: PostgresPatience(reaching: .seconds(60), resolving: .seconds(60)))
        group.addTask {
          try await ledger.write(hub, sessions, seed: UInt64(task)) { !isOver.withLock { $0 } }
          await hub.close()
        }
      }
      group.addTask {
        defer { isOver.withLock { $0 = true } }
        for round in 1...rounds {
          while ledger.taken < round * 100 { try await Task.sleep(for: .milliseconds(5)) }
          try await onOwnThread(happening)
        }
        let before = ledger.taken
        while ledger.taken < before + 50 { try await Task.sleep(for: .milliseconds(5)) }
      }
      try await group.waitForAll()
    }
    let hub = try await PostgresHub.open(at: address)
    try await ledger.check(hub, sessions, "\(rounds) times")
    print(
      "killed \(rounds) times: \(ledger.taken) commits, \(ledger.unknown) unknown; \(promises.sentences)"
    )
    await hub.close()
  }

  @Test func `says yes only when the standby that it waits for has the commit`() async throws {
    let server = try #require(Self.server)
    let database = try await server.database()
    let hub = try await PostgresHub.open(at: server.address(database), making: true)
    let session = UUID()
    let first = HubOffer(session, on: nil)
    #expect(try await hub.commit(first).version == 1)
    #expect(try await !hub.promises().survivesServer)
    try await server.sql(
      "postgres",
      ["ALTER SYSTEM SET synchronous_standby_names = 'nobody'", "SELECT pg_reload_conf()"])
    try await waitUntilCommitsWait(server, in: database)
    let isAnswered = Locked(false)
    async let answer = {
      defer { isAnswered.withLock { $0 = true } }
      return try await hub.commit(HubOffer(session, on: first.stamp))
    }()
    // Each wait is cancelled by somebody, which the server acknowledges with nothing but a warning.
    var cancelled = 0
    while cancelled < 3, !isAnswered.withLock({ $0 }) {
      cancelled += try await cancelWaits(server, in: database)
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(!isAnswered.withLock { $0 })
    #expect(try await hub.promises().survivesServer)
    // Changing this back needs no standby.
    try await server.sql(
      "postgres",
      [
        "SET synchronous_commit = local", "ALTER SYSTEM RESET synchronous_standby_names",
        "SELECT pg_reload_conf()",
      ])
    #expect(try await answer.version == 2)
    #expect(try await hub.soundLog(session).count == 2)
    await hub.close()
  }

  /// Returns once the server's commits wait for a standby. The processes of a server read changed settings one after the
  /// other, so a commit right after a change may still be answered without a standby.
  private func waitUntilCommitsWait(_ server: PostgresServer, in database: String) async throws {
    let deadline = ContinuousClock.now.advanced(by: .seconds(30))
    while try await !commitWaits(server, in: database) {
      try #require(.now < deadline, "commits go without the standby that they have to wait for")
    }
  }

  /// Commits something, and tells whether the commit had to wait for a standby; such a wait is cancelled.
  private func commitWaits(_ server: PostgresServer, in database: String) async throws -> Bool {
    let isAnswered = Locked(false)
    async let commit: Void = {
      defer { isAnswered.withLock { $0 = true } }
      try await server.sql(database, ["SELECT pg_logical_emit_message(true, 'test', '')"])
    }()
    var cancelled = 0
    while !isAnswered.withLock({ $0 }) {
      cancelled += try await cancelWaits(server, in: database)
      try await Task.sleep(for: .milliseconds(5))
    }
    try await commit
    return cancelled > 0
  }

  /// Cancels each commit's wait for a standby in a database, and returns the number of cancelled waits.
  private func cancelWaits(_ server: PostgresServer, in database: String) async throws -> Int {
    Int(
      try await server.sql(
        "postgres",
        [
          """
          SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity
          WHERE datname = '\(database)' AND wait_event = 'SyncRep'
          """
        ])[0].number(0))
  }
}
