import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHubConformance
import Testing

@testable import KeepsakePostgres

/// Stores that hold a session, with which other stores have to wait.
@Suite(.enabled(if: PostgresServer.isHere, PostgresServer.obstacle))
struct `A session that is held at a hub in PostgreSQL` {
  /// A hub that is open several times, with a session of one version.
  private struct Scene {
    let server: PostgresServer
    let database: String
    var hubs: [PostgresHub] = []
    let session = UUID()
    var base = UUID()

    /// - Parameters:
    ///   - count: The number of stores that have the hub open.
    ///   - holding: The time for which a store may hold a session and do nothing.
    init(_ count: Int, holding: Duration = .seconds(60)) async throws {
      server = try #require(PostgresServer.shared)
      database = try await server.database()
      for index in 0..<count {
        hubs.append(
          try await PostgresHub.open(
            at: server.address(database), making: index == 0,
            patience: PostgresPatience(holding: holding)))
      }
      base = try await hubs[0].push(session).stamp
    }

    /// Waits until so many calls wait for a lock at the server.
    func wait(for count: Int) async throws {
      while try await server.waiting(database) < count {
        try await Task.sleep(for: .milliseconds(5))
      }
    }
  }

  private func close(_ hubs: [PostgresHub]) async { for hub in hubs { await hub.close() } }

  @Test(.timeLimit(.minutes(60)))
  func `is written by the one who holds it, and then by the others in their order`()
    async throws
  {
    let scene = try await Scene(4)
    let (hubs, session, base) = (scene.hubs, scene.session, scene.base)
    let steps = Locked<[String]>([])
    func note(_ step: String) { steps.withLock { $0.append(step) } }
    await hubs[0].hold(session)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, hub) in hubs.enumerated().dropFirst().dropLast() {
        group.addTask {
          await hub.hold(session)
          note("\(index) holds")
          _ = try await hub.push(session)
        }
        try await scene.wait(for: index)
      }
      group.addTask {
        // A store that holds nothing may commit the session between the stores that hold it.
        let answer = try await hubs[3].commit(HubOffer(session, on: base))
        #expect(answer.standing??.version ?? 0 >= 2)
      }
      try await scene.wait(for: 3)
      note("0 commits")
      #expect(try await hubs[0].commit(HubOffer(session, on: base)).version == 2)
      try await group.waitForAll()
    }
    #expect(steps.withLock { $0 } == ["0 commits", "1 holds", "2 holds"])
    #expect(try await hubs[0].soundLog(session).count == 4)
    await close(hubs)
  }

  /// Two stores offer to two sessions each, and each holds the session to which the other one offers first.
  @Test func `is written before its holder waits for another one`() async throws {
    let scene = try await Scene(2)
    let (hubs, first, firstBase) = (scene.hubs, scene.session, scene.base)
    let second = UUID()
    let secondBase = try await hubs[0].push(second).stamp
    await hubs[0].hold(first)
    await hubs[1].hold(second)
    let ones = [HubOffer(second, on: secondBase), HubOffer(first, on: firstBase)]
    let others = [HubOffer(first, on: firstBase), HubOffer(second, on: secondBase)]
    async let given = hubs[0].commit(ones)
    async let givenToOthers = hubs[1].commit(others)
    // A store that waited for the other session first would lose the held one, and its commit would come too late.
    #expect(try await given.map(\.version) == [nil, 2])
    #expect(try await givenToOthers.map(\.version) == [nil, 2])
    await close(hubs)
  }

  /// The answer to a commit of a held session counts only after the end of the transaction that holds the session.
  @Test func `is not offered by work that has something open, as any other session is`()
    async throws
  {
    let scene = try await Scene(1)
    let (hub, session, base) = (scene.hubs[0], scene.session, scene.base)
    func commit(_ offer: HubOffer) async throws -> [HubAnswer]? {
      try await hub.exchange(bytes: offer.bytes.count) { make in _ = make([offer])?(.seconds(60)) }
    }
    // The first commit of a connection has the server plan the statement.
    let first = HubOffer(session, on: base)
    #expect(try await hub.commit(first).version == 2)
    let offer = HubOffer(session, on: first.stamp)
    #expect(try await commit(offer)?.map(\.version) == [3])
    await hub.hold(session)
    let next = HubOffer(session, on: offer.stamp)
    #expect(try await commit(next) == nil)
    #expect(try await hub.commit(next).version == 4)
    #expect(try await commit(HubOffer(session, on: next.stamp))?.map(\.version) == [5])
    await hub.close()
  }

  /// A thread that all tasks share waits for the server's answer only as long as the work waits.
  ///
  /// - Parameter isCut: Whether the server ends the connection meanwhile.
  @Test(arguments: [false, true])
  func `is waited for by a thread of the hub's own`(isCut: Bool) async throws {
    let scene = try await Scene(2)
    let (hubs, session, base) = (scene.hubs, scene.session, scene.base)
    // The first commit of a connection has the server plan the statement.
    let first = HubOffer(session, on: base)
    #expect(try await hubs[1].commit(first).version == 2)
    await hubs[0].hold(session)
    let seen = Locked<[HubAnswer?]>([])
    let offer = HubOffer(session, on: first.stamp)
    async let given = hubs[1].exchange(bytes: 0) { make in
      let answers = make([offer])?(.milliseconds(20))
      seen.withLock { $0.append(answers?.first) }
    }
    try await scene.wait(for: 1)
    while seen.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(5)) }
    #expect(seen.withLock { $0.count == 1 && $0[0] == nil })
    if isCut {
      _ = try await scene.server.sql(
        scene.database,
        [
          """
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = '\(scene.database)' AND wait_event_type = 'Lock'
          """
        ])
    }
    await hubs[0].release(session)
    #expect(try await given?.map(\.version) == [3])
    #expect(seen.withLock { $0.count } == 1)
    #expect(try await hubs[1].commit(HubOffer(session, on: offer.stamp)).version == 4)
    #expect(try await hubs[0].soundLog(session).count == 4)
    await close(hubs)
  }

  @Test func `is read with the round trip that holds it, and let go of with that of its commit`()
    async throws
  {
    let server = try #require(PostgresServer.shared)
    let database = try await server.database()
    let proxy = try CuttingProxy(to: server.port) { _ in .none }
    defer { proxy.close() }
    let hub = try await PostgresHub.open(
      at: server.address(database, port: proxy.port), making: true,
      // On a busy machine two seconds may pass between holding and committing, and the session would be let go of.
      patience: PostgresPatience(holding: .seconds(60)))
    let session = UUID()
    var base = try await hub.push(session).stamp
    for number in Int64(1)...3 {
      let before = proxy.roundTrips
      let new = await hub.hold(session, readingAfter: number - 1, bytes: 1 << 20)
      #expect(new?.versions.map(\.stamp) == [base])
      let offer = HubOffer(session, on: base)
      #expect(try await hub.commit(offer).version == number + 1)
      #expect(proxy.roundTrips - before == 2)
      base = offer.stamp
    }
    await hub.close()
  }

  @Test func `is let go of when its holder does nothing, or is gone`() async throws {
    let holding = Duration.seconds(1)
    let scene = try await Scene(3, holding: holding)
    let (hubs, session, base) = (scene.hubs, scene.session, scene.base)
    let start = ContinuousClock.now
    await hubs[0].hold(session)
    let second = HubOffer(session, on: base)
    #expect(try await hubs[1].commit(second).version == 2)
    // The second store waited for the first one, but not for ever.
    #expect(ContinuousClock.now - start > holding / 2)
    // The server has ended the first store's transaction, and the store commits without the transaction.
    #expect(try await hubs[0].commit(HubOffer(session, on: base)).standing??.version == 2)
    #expect(try await hubs[0].commit(HubOffer(session, on: second.stamp)).version == 3)
    await hubs[2].hold(session)
    await hubs[2].close()
    #expect(try await hubs[0].push(session).version == 4)
    await close(hubs)
  }
}
