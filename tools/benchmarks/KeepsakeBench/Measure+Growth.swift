import Foundation
import Keepsake

extension Measure {
  static let pinned = Measure(names: ["append while a reader holds a snapshot"], run: measurePinned)

  private static func measurePinned(_ workshop: Workshop, _ names: [String]) async throws -> [Row] {
    let place = workshop.place("store.keepsake")
    let store = try await Store(at: place)
    let session = try await store.createSession(title: "pinned")
    let texts = workshop.material.texts(200)
    let p50 = { () async throws -> Double in
      try await microseconds(of: texts.count) { index in
        try await session.append(.turn(index, texts[index]))
      }.median
    }
    for _ in 0..<6 { _ = try await p50() }
    let plain = PlainStore(reading: place)
    // A log can't be unpinned and pinned again in a moment, so all of one kind comes first.
    var normal: [Double] = []
    for _ in 0..<workshop.rounds { normal.append(try await p50()) }
    plain.pin()
    var bytes = workshop.material.bytes(100_000)
    for _ in 0..<(workshop.isQuick ? 300 : 1000) {
      workshop.material.renew(&bytes)
      try await session.attach(.init(.bytes(bytes)))
    }
    var comparison = Comparison()
    for each in normal { comparison.add(try await p50(), against: each) }
    plain.unpin()
    await store.close()
    try FileManager.default.removeItem(at: place)
    return [Row(names[0], comparison, unit: "µs", goal: .ratioAtMost(1.5))]
  }

  static let growth = Measure(
    names: [
      "growth: append", "growth: reload 200 entries", "growth: the last 50 entries",
      "growth: a page of sessions",
    ], run: measureGrowth)

  private static func measureGrowth(_ workshop: Workshop, _ names: [String]) async throws -> [Row] {
    // Two stores, one as large as a few conversations and one as large as years of them.
    try await workshop.withStore { small in
      try await workshop.withStore { large in
        let texts = workshop.material.texts(200)
        let few = try await fill(small, sessions: 50, texts)
        let many = try await fill(large, sessions: workshop.isQuick ? 500 : 5000, texts)
        func compare(
          _ count: Int, _ rounds: Int, _ body: (Store, Session) async throws -> Void
        ) async throws -> Comparison {
          try await Comparison.rounds(rounds * workshop.rounds) {
            try await microseconds(of: count) { _ in try await body(large, many) }.median
          } against: {
            try await microseconds(of: count) { _ in try await body(small, few) }.median
          }
        }
        _ = try await compare(200, 1) { _, session in
          try await session.append(.response(texts[0]))
        }
        let append = try await compare(100, 2) { _, session in
          try await session.append(.response(texts[0]))
        }
        let reload = try await compare(40, 2) { _, session in
          _ = try await session.entries(after: -1, count: 200)
        }
        let tail = try await compare(80, 2) { _, session in
          _ = try await session.entries(last: 50)
        }
        let page = try await compare(80, 2) { store, _ in
          _ = try await store.sessions(limit: 50)
        }
        return [
          Row(names[0], append, unit: "µs", goal: .ratioAtMost(1.5)),
          Row(names[1], reload, unit: "µs", goal: .ratioAtMost(1.5)),
          Row(names[2], tail, unit: "µs", goal: .ratioAtMost(1.5)),
          Row(names[3], page, unit: "µs", goal: .ratioAtMost(1.5)),
        ]
      }
    }
  }

  /// Fills a store with sessions of 200 entries that grew side by side; gives one from the middle.
  private static func fill(_ store: Store, sessions count: Int, _ texts: [String]) async throws
    -> Session
  {
    var sessions: [Session] = []
    for _ in 0..<count { sessions.append(try await store.createSession(title: "growth")) }
    let entries = texts.indices.map { Entry.turn($0, texts[$0]) }
    for start in stride(from: 0, to: count, by: 20) {
      for part in stride(from: 0, to: entries.count, by: 25) {
        for session in sessions[start..<Swift.min(count, start + 20)] {
          try await session.append(Array(entries[part..<(part + 25)]))
        }
      }
    }
    return sessions[count / 2]
  }
}
