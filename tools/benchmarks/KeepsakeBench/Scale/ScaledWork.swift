import Keepsake
import KeepsakeBenchReport

/// A piece of work whose cost is not to grow with the store.
struct ScaledWork: Sendable {
  let name: String
  /// How often it is done in a round.
  let times: Int
  let limit: Limit
  let body: @Sendable (LargeStore) async throws -> Void

  enum Limit: Sendable {
    /// At most so many times what it costs in the smallest store.
    case growth(Double)
    /// At most so long, in any store.
    case microseconds(Double)
  }

  static let all: [ScaledWork] = [
    ScaledWork(name: "append", times: 100, limit: .growth(1.5)) { store in
      try await store.session.append(.response(store.text))
    },
    ScaledWork(name: "reload 200 entries", times: 30, limit: .growth(1.5)) { store in
      try expect(try await store.old.entries(after: -1, count: 200).count, 200)
    },
    ScaledWork(name: "the last 50 entries", times: 60, limit: .growth(2.5)) { store in
      try expect(try await store.old.entries(last: 50).count, 50)
    },
    ScaledWork(name: "a page of 50 sessions", times: 60, limit: .growth(1.5)) { store in
      try expect(try await store.store.sessions(limit: 50).sessions.count, 50)
    },
    ScaledWork(name: "a tool's 50 newest artifacts", times: 60, limit: .growth(1.5)) { store in
      try expect(try await store.store.audit(tool: LargeStore.tool).products.count, 50)
    },
    ScaledWork(name: "an artifact by its digest", times: 200, limit: .growth(3)) { store in
      _ = try await store.store.artifact(store.artifact)
    },
    ScaledWork(name: "search, the newest 20", times: 60, limit: .microseconds(200)) { store in
      try expect(try await store.store.search(LargeStore.word).hits.count, 20)
    },
    ScaledWork(name: "search, the best 20", times: 10, limit: .microseconds(15_000)) { store in
      try expect(try await store.store.search(LargeStore.word, order: .ranked).hits.count, 20)
    },
  ]

  /// Whether it is not to cost more in a larger store.
  var hasToStayFlat: Bool {
    if case .growth = limit { true } else { false }
  }

  private static func expect(_ found: Int, _ wanted: Int) throws {
    guard found == wanted else { throw Surprise.wrongCount }
  }
}
