import Foundation
import Testing

@testable import Keepsake

@Suite("What two stores changed of a session at will")
struct FieldMergeTests {
  /// Changes a session in both stores, and merges it in both; then they say the same.
  private func merged(
    knowingBase: Bool = true, hub: (Session) async throws -> Void,
    other: (Session) async throws -> Void,
    _ check: (Session, [FieldMerge.Field]) async throws -> Void
  ) async throws {
    try await CommitPair.make(options: .withoutIndexing) { pair in
      let session = try await pair.first.createSession(
        title: "Fruit", tags: ["a", "b"], metadata: ["x": 1, "y": 2])
      _ = try await session.openTurn()
      try await session.append(.prompt("Pears?"))
      try await pair.handOver("created")
      let second = try await pair.second.session(session.id)
      let base = try await pair.second.fields(of: session.id)
      try await hub(session)
      try await other(second)
      let ours = try await pair.second.fields(of: session.id)
      var theirs = base
      let commits = try await pair.first.takeCommits()
      for commit in commits { try theirs.add(commit) }
      let merge = try FieldMerge(base: knowingBase ? base : nil, ours: ours, theirs: theirs)
      for store in [pair.first, pair.second] {
        let bytes = StoredBytes(store: store)
        let whole = try await store.wholeCommits(of: [session.id])[0]
        let chain = try #require(whole.end)
        let fields = try await store.fields(of: session.id)
        if let commit = merge.commit(to: fields, at: chain) {
          try await store.apply(SessionCommit(decoding: commit.encoded()), artifacts: bytes)
          let now = try await store.fields(of: session.id)
          #expect(merge.commit(to: now, at: chain) == nil)
        }
        try await expectSound(store)
      }
      _ = try await pair.first.takeCommits()
      try await check(second, merge.gaveWay)
      let first = try await PartedReading(of: session)
      let got = try await PartedReading(of: second)
      #expect(first.summary.title == got.summary.title && first.summary.tags == got.summary.tags)
      #expect(first.metadata == got.metadata && first.turns == got.turns)
    }
  }

  @Test func `a lone change of either is kept`() async throws {
    try await merged(
      hub: { session in
        try await session.rename("Vegetables")
        try await session.tag(["c"], removing: ["a"])
      },
      other: { session in
        try await session.setMetadata(["x": 1, "y": 3, "z": 4])
        try await session.tag(["d"], removing: ["b"])
        let turn = try #require(try await session.turns().first)
        try await session.close(turn, .failed, detail: "no pears")
        _ = try await session.openTurn(lane: "chat")
      },
      { session, gaveWay in
        #expect(gaveWay.isEmpty)
        let summary = try await session.summary()
        #expect(summary.title == "Vegetables" && summary.tags == ["c", "d"])
        let metadata = try await session.metadata()
        #expect(metadata == ["x": 1, "y": 3, "z": 4])
        let turns = try await session.turns()
        #expect(turns.map(\.outcome) == [.failed, nil] && turns[1].lane == "chat")
      })
  }

  @Test func `where both changed a field the hub's counts, and the other gives way`() async throws {
    try await merged(
      hub: { session in
        try await session.rename("Vegetables")
        try await session.setMetadata(["x": 7, "y": 2, "v": 1])
        let turn = try #require(try await session.turns().first)
        try await session.close(turn, .answered)
      },
      other: { session in
        try await session.rename("Cakes")
        try await session.setMetadata(["x": 8, "w": 2])
        let turn = try #require(try await session.turns().first)
        try await session.close(turn, .failed)
      },
      { session, gaveWay in
        #expect(gaveWay == [.title, .metadata("x"), .turn(1)])
        let title = try await session.summary().title
        let metadata = try await session.metadata()
        let outcomes = try await session.turns().map(\.outcome)
        #expect(title == "Vegetables" && metadata == ["x": 7, "v": 1, "w": 2])
        #expect(outcomes == [.answered])
      })
  }

  @Test
  func `where nobody knows what was before, the hub's counts and nothing that it lacks is lost`()
    async throws
  {
    try await merged(
      knowingBase: false,
      hub: { session in
        try await session.rename(nil)
        try await session.tag([], removing: ["a"])
      },
      other: { session in
        try await session.rename("Cakes")
        try await session.setMetadata(["x": 8, "y": 2, "z": 1])
      },
      { session, gaveWay in
        #expect(gaveWay == [.metadata("x")])
        let summary = try await session.summary()
        #expect(summary.title == "Cakes" && summary.tags == ["a", "b"])
        let metadata = try await session.metadata()
        #expect(metadata == ["x": 1, "y": 2, "z": 1])
      })
  }
}
