import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

@Suite("Forks of forks of forks")
struct DeepForkTests {
  @Test func `reloading costs as much as the way to the root is long`() async throws {
    var costs: [Double] = []
    for depth in [25, 100] {
      try await withTemporaryStore(options: .withoutIndexing) { store in
        let leaf = try #require(try await DeletingFamiliesTests.chain(store, depth).last)
        let (pages, count) = try store.handle.read { db in
          let before = db.count(of: .cacheHits)
          let entries = try EntryReader(leaf, in: db).entries(0..<depth)
          return (db.count(of: .cacheHits) - before, entries.count)
        }
        #expect(count == depth)
        costs.append(Double(pages))
      }
    }
    #expect(costs[1] < 7 * costs[0], "\(costs)")
  }

  /// Each of a chain attaches something to what it shares, and to its own.
  @Test func `each stretch shows what every session on the way attached to it`() async throws {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      let chain = try await DeletingFamiliesTests.chain(store, 9)
      let last = try await chain[8].fork(before: 6)
      try await last.append([.prompt("a"), .prompt("b")])
      var labels: [Int: [String]] = [:]
      for (number, session) in (chain + [last]).enumerated() {
        let count = try await session.count()
        for position in stride(from: 0, to: count, by: 2) {
          let label = "\(number) to \(position)"
          try await session.attach(.labelled(label), to: position)
          // Only its own show: the others' forks were made before.
          if number == 9 { labels[position, default: []].append(label) }
        }
      }
      let read = try await last.entries.all()
      for (position, entry) in read.enumerated() {
        #expect(entry.attachments.map(\.label) == labels[position] ?? [], "\(position)")
      }
      // And in a fork of it all.
      let deep = try await last.fork()
      for position in 0..<8 {
        #expect(try await deep.labels(at: position) == labels[position] ?? [])
      }
    }
  }
}
