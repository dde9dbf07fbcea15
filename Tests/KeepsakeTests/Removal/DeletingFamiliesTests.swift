import Foundation
import KeepsakeSQLite
import KeepsakeTestSupport
import Testing

@testable import Keepsake

/// Deleting where many sessions were forked from one another.
@Suite("Deleting families of forks")
struct DeletingFamiliesTests {
  /// A session, a fork of it, a fork of that, and so on, each with an entry of its own.
  static func chain(_ store: Store, _ count: Int) async throws -> [Session] {
    var chain = [try await store.createSession()]
    try await chain[0].append(.prompt("0"))
    while chain.count < count {
      let next = try await chain[chain.count - 1].fork()
      try await next.append(.prompt("\(chain.count)"))
      chain.append(next)
    }
    return chain
  }

  /// How many pages the writer looks at while something is done.
  private func pages(_ store: Store, _ body: () async throws -> Void) async throws -> Double {
    let before = try await store.handle.exclusively { $0.count(of: .cacheHits) }
    try await body()
    return Double(try await store.handle.exclusively { $0.count(of: .cacheHits) } - before)
  }

  @Test(arguments: [false, true])
  func `a chain of forks costs as much as it is long, whichever end is deleted first`(
    newestFirst: Bool
  ) async throws {
    var costs: [Double] = []
    for count in [25, 100] {
      try await withTemporaryStore(options: .withoutIndexing) { store in
        let chain = try await Self.chain(store, count)
        let cost = try await pages(store) {
          for session in newestFirst ? chain.reversed() : chain {
            try await store.deleteSession(session.id)
          }
        }
        costs.append(cost)
        let rows = try DeletingTests.rows(store)
        #expect(rows.values.allSatisfy { $0 == 0 }, "\(rows)")
      }
    }
    // Four times as many; seven leaves room for indexes that grow deeper.
    #expect(costs[1] < 7 * costs[0], "\(costs)")
  }

  @Test(.disabled(if: SharedStores.areUsed, "There deleting takes over all that is new first."))
  func `a leaf costs the same, however deep it hangs and however many there are beside it`()
    async throws
  {
    var costs: [Double] = []
    for (depth, leaves) in [(20, 20), (80, 20), (20, 160)] {
      try await withTemporaryStore(options: .withoutIndexing) { store in
        let chain = try await Self.chain(store, depth)
        var forks: [Session] = []
        for number in 0..<leaves {
          let leaf = try await chain[depth - 1].fork()
          try await leaf.append(.prompt("leaf \(number)"))
          forks.append(leaf)
        }
        for session in chain { try await store.deleteSession(session.id) }
        let some = forks[..<10]
        costs.append(
          try await pages(store) {
            for leaf in some { try await store.deleteSession(leaf.id) }
          })
        #expect(try await forks[15].texts().count == depth + 1)
      }
    }
    #expect(costs[1] < 2 * costs[0], "\(costs)")
    #expect(costs[2] < 2 * costs[0], "\(costs)")
  }

  /// Whatever is deleted in whatever order: what is left is exactly what somebody shows.
  @Test(arguments: 0..<6)
  func `what stays is what a session shows, and nothing else`(seed: UInt64) async throws {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      var random = SeededGenerator(seed: seed)
      var sessions: [Session] = []
      for _ in 0..<14 {
        let session: Session
        if let parent = sessions.randomElement(using: &random),
          Int.random(in: 0..<5, using: &random) > 0
        {
          session = try await parent.fork(
            before: .random(in: 0...(try await parent.count()), using: &random))
        } else {
          session = try await store.createSession()
        }
        sessions.append(session)
        for _ in 0..<Int.random(in: 0..<5, using: &random) {
          try await session.append(.prompt("\(Int.random(in: 0..<1000, using: &random))"))
        }
        // Some of it in sessions that were forked already.
        for session in sessions.shuffled(using: &random).prefix(2) {
          let count = try await session.count()
          guard count > 0 else { continue }
          let label = "label \(Int.random(in: 0..<1_000_000_000, using: &random))"
          try await session.attach(.labelled(label), to: .random(in: 0..<count, using: &random))
        }
      }
      while !sessions.isEmpty {
        let index = Int.random(in: sessions.indices, using: &random)
        let gone = sessions.remove(at: index)
        var expected: [[Entry]] = []
        for session in sessions { expected.append(try await session.entries.all()) }
        try await store.deleteSession(gone.id)
        var shown: Set<Int64> = []
        var recordings: Set<Int64> = []
        for (session, entries) in zip(sessions, expected) {
          let now = try await session.entries.all()
          #expect(now == entries, "seed \(seed)")
          for position in now.indices { shown.insert(session.lineage.id(of: position).rawValue) }
          for entry in now { recordings.formUnion(entry.attachments.map(\.recording)) }
        }
        let (kept, attached) = try store.handle.read { db in
          (
            try Self.numbers("SELECT id FROM entry", in: db),
            try Self.numbers("SELECT number FROM attachment", in: db)
          )
        }
        #expect(kept == shown, "seed \(seed)")
        #expect(attached == recordings, "seed \(seed)")
        try await DeletingTests.isSound(store)
      }
      let rows = try DeletingTests.rows(store)
      #expect(rows.values.allSatisfy { $0 == 0 }, "seed \(seed): \(rows)")
    }
  }

  private static func numbers(_ sql: StaticString, in db: Tables) throws -> Set<Int64> {
    let find = try db.prepare(sql)
    var numbers: Set<Int64> = []
    while try find.step() { numbers.insert(find.int64(0)) }
    return numbers
  }
}
