import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHubConformance
import KeepsakeTestSupport
import Testing

@testable import KeepsakePostgres

/// Connections that end in the middle of any message.
@Suite(.enabled(if: PostgresServer.isHere, PostgresServer.obstacle))
struct `A hub in PostgreSQL over a line that is cut` {
  @Test(arguments: LongRun.seeds(otherwise: 1...3))
  func `takes each commit once, and loses none that it acknowledged`(
    _ seed: UInt64
  ) async throws {
    let server = try #require(PostgresServer.shared)
    let database = try await server.database()
    let direct = try await PostgresHub.open(at: server.address(database), making: true)
    let proxy = try CuttingProxy(to: server.port) { connection in
      var random = SeededGenerator(seed: seed * 100_000 + UInt64(connection))
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4: return .cutToServer(Int.random(in: 0...20_000, using: &random))
      case 4..<8: return .cutFromServer(Int.random(in: 0...4000, using: &random))
      default:
        return .late(
          Int.random(in: 3000...20_000, using: &random),
          .milliseconds(Int.random(in: 1...60, using: &random)))
      }
    }
    let ledger = Ledger()
    let sessions = (0..<4).map { _ in UUID() }
    let wanted = 150
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<6 {
        group.addTask {
          // Opening needs a connection that lives for long enough.
          var hub: PostgresHub?
          while hub == nil {
            hub = try? await PostgresHub.open(at: server.address(database, port: proxy.port))
          }
          try await ledger.write(#require(hub), sessions, seed: UInt64(task)) {
            // On a slow machine fewer commits come between two cuts.
            proxy.cuts.all < wanted || (ledger.taken <= 100 && proxy.cuts.all < 20 * wanted)
          }
          await hub?.close()
        }
      }
      try await group.waitForAll()
    }
    let cuts = proxy.cuts
    proxy.close()
    // Bytes that are late come after all others.
    try await Task.sleep(for: .milliseconds(300))
    try await ledger.check(direct, sessions, "seed \(seed)")
    #expect(cuts.late > 5 && ledger.taken > 100)
    print(
      "seed \(seed): \(cuts.all) connections cut, \(cuts.late) of them with bytes that came late; \(ledger.taken) commits, \(ledger.unknown) unknown"
    )
  }

  @Test func `says when nobody knows, and resolves it when the offer comes again`() async throws {
    let server = try #require(PostgresServer.shared)
    let database = try await server.database()
    let direct = try await PostgresHub.open(at: server.address(database), making: true)
    let isSilent = Locked(false)
    let proxy = try CuttingProxy(to: server.port) { _ in
      isSilent.withLock { $0 } ? .silent(0) : .cutFromServer(100_000)
    }
    let hub = try await PostgresHub.open(
      at: server.address(database, port: proxy.port),
      patience: PostgresPatience(
        statement: .milliseconds(200), reaching: .milliseconds(300), resolving: .milliseconds(900)))
    let session = UUID()
    let first = HubOffer(session, on: nil)
    #expect(try await hub.commit(first).version == 1)
    // The session's row is locked, so that the statement has no answer in time, and is taken when the lock ends.
    let second = HubOffer(session, on: first.stamp)
    let isLocked = Locked(false)
    let isOver = Monitor(false)
    async let lock: Void = onOwnThread {
      let connection = try PostgresConnection(
        PostgresAddress(server.address(database)).options)
      let deadline = Instant.now.advanced(by: .seconds(30))
      try connection.run("BEGIN; SELECT * FROM keepsake.head FOR UPDATE", until: deadline)
      isLocked.withLock { $0 = true }
      _ = isOver.wait(until: deadline) { $0 ? () : nil }
      try connection.run("COMMIT", until: deadline)
    }
    while !isLocked.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
    let failure = try await hub.commit(second).failure
    #expect(failure?.message.contains("is not known") == true)
    #expect(failure?.cause as? HubFault == .unreachable)
    isOver.withLock { $0 = true }
    isOver.broadcast()
    try await lock
    for _ in 0..<2 { #expect(try await direct.commit(second).version == 2) }
    #expect(try await direct.soundLog(session).count == 2)
    // A server that can't be reached at all took nothing, and is given up sooner.
    proxy.close()
    let third = try await hub.commit(HubOffer(session, on: second.stamp)).failure
    #expect(third?.cause as? HubFault == .unreachable)
    await hub.close()
  }

  @Test func `goes on behind a pooler that loses prepared statements`() async throws {
    let server = try #require(PostgresServer.shared)
    let hub = try await PostgresHub.open(
      at: server.address(try await server.database()), making: true)
    let session = UUID()
    for _ in 0..<3 { _ = try await hub.push(session) }
    try await onOwnThread {
      try hub.connections.withConnection { session in
        try session.run("DEALLOCATE ALL", within: .seconds(10))
      }
    }
    #expect(hub.connections.isNamed)
    #expect(try await hub.push(session).version == 4)
    #expect(!hub.connections.isNamed)
    for _ in 0..<3 { _ = try await hub.push(session) }
    #expect(try await hub.soundLog(session).count == 7)
    await hub.close()
  }
}
