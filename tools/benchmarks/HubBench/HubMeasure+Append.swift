import Foundation
import Keepsake
import KeepsakeBenchReport
import KeepsakeFiles
import KeepsakePostgres

extension HubMeasure {
  static let append = HubMeasure(names: ["append by one task, p50"]) { shop, names in
    let comparison = try await appends(shop, at: shop.addressText, rounds: 2 * shop.rounds)
    return [Row(names[0], comparison, unit: "µs", goal: .ratioAtMost(1.6))]
  }

  static let distantAppend = HubMeasure(
    names: ["append by one task, p50, with a server that is 1 ms away"]
  ) { shop, names in
    let relay = try CountingRelay(to: shop.address, delay: .milliseconds(1))
    defer { relay.close() }
    let comparison = try await appends(
      shop, at: relay.address(of: shop.address), rounds: shop.rounds)
    return [Row(names[0], comparison, unit: "µs", goal: .ratioAtMost(1.15))]
  }

  /// Appends to a new session in each round. Plain C commits the same bytes to another new session.
  private static func appends(
    _ shop: HubShop, at address: String, rounds: Int
  ) async throws -> Comparison {
    let store = try await shop.sharedStore(at: address)
    let plain = PlainHub(try PostgresAddress(address))
    let texts = shop.material.texts(100)
    var last: UUID?
    func keepsake() async throws -> Double {
      let session = try await store.createSession()
      last = session.id
      return try await microseconds(of: texts.count) { index in
        try await session.append(.response(texts[index]))
      }.median
    }
    func yardstick() async throws -> Double {
      guard let last else { return 0 }
      let calls = try await shop.calls(like: last)
      // The first call makes the session, which is no append.
      return Array(plain.commit(calls).dropFirst()).median
    }
    for _ in 0..<2 {
      _ = try await keepsake()
      _ = try await yardstick()
    }
    let comparison = try await Comparison.rounds(rounds, keepsake, against: yardstick)
    try await store.removeTemporary()
    return comparison
  }
}

// MARK: - Several tasks

extension HubMeasure {
  static let tasks = HubMeasure(
    names: [
      "16 tasks with a session each, appends against one task's",
      "16 tasks with a session each, appends against 16 connections in plain C",
    ], run: measureTasks)

  private static func measureTasks(_ shop: HubShop, _ names: [String]) async throws -> [Row] {
    let store = try await shop.sharedStore()
    let texts = shop.material.texts(100)
    var sessions: [Session] = []
    for _ in 0..<16 { sessions.append(try await store.createSession()) }
    let connections = sessions.map { _ in PlainHub(shop.address) }
    _ = try await rate(texts, sessions)
    var calls: [PlainCalls] = []
    for session in sessions {
      // The first call makes the session.
      calls.append(try await shop.calls(like: session.id, count: texts.count + 1))
    }
    _ = rate(calls, connections)
    var (alone, plain) = (Comparison(), Comparison())
    for _ in 0..<shop.rounds {
      let one = try await rate(texts, [sessions[0]])
      let all = try await rate(texts, sessions)
      for (index, session) in sessions.enumerated() {
        calls[index] = try await shop.calls(like: session.id, count: texts.count + 1)
      }
      alone.add(all, against: one)
      plain.add(all, against: rate(calls, connections))
    }
    try await store.removeTemporary()
    return [
      Row(names[0], alone, unit: "appends/s", goal: .ratioAtLeast(6)),
      Row(names[1], plain, unit: "appends/s", goal: .none),
    ]
  }

  /// The appends a second of tasks that have a session each.
  private static func rate(_ texts: [String], _ sessions: [Session]) async throws -> Double {
    let time = try await microseconds {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for session in sessions {
          group.addTask { for text in texts { try await session.append(.response(text)) } }
        }
        try await group.waitForAll()
      }
    }
    return Double(sessions.count * texts.count) * 1e6 / time
  }

  /// The commits a second of threads that have a connection each.
  private static func rate(_ calls: [PlainCalls], _ connections: [PlainHub]) -> Double {
    let start = ContinuousClock.now
    let threads = zip(calls, connections).map { calls, connection in
      WorkerThread(name: "keepsake.plain") { _ = connection.commit(calls) }
    }
    for thread in threads { thread.join() }
    let time = (ContinuousClock.now - start).microseconds
    return calls.map { Double($0.calls) }.sum * 1e6 / time
  }
}
