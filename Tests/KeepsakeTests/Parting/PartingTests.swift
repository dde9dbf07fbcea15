import Foundation
import KeepsakeFiles
import Testing

@testable import Keepsake

@Suite("What is ours when a session parts")
struct PartingTests {
  /// The hub's store and another one, which both have a session.
  private struct Pair {
    let hub: Store
    let other: Store
    let theirs: Session
    let ours: Session

    /// Takes what the hub's store changed, and makes what is ours.
    func plan() async throws -> PartingPlan {
      let commits = try await hub.takeCommits().filter { $0.session == theirs.id }
      return try await other.parting(of: theirs.id, from: commits)
    }

    func give(_ commit: SessionCommit) async throws -> Session {
      try await hub.apply(
        SessionCommit(decoding: commit.encoded()), artifacts: StoredBytes(store: other))
      return try await hub.session(commit.session)
    }
  }

  private func pair(
    _ fill: (Session) async throws -> Void, _ body: (Pair) async throws -> Void
  ) async throws {
    try await CommitPair.make(options: .withoutIndexing) { stores in
      let session = try await stores.first.createSession(
        title: "Fruit", origin: "app", foreignID: "7", tags: ["a"], metadata: ["x": 1])
      try await fill(session)
      try await stores.handOver("common")
      let second = try await stores.second.session(session.id)
      try await body(
        Pair(hub: stores.first, other: stores.second, theirs: session, ours: second))
      for store in [stores.first, stores.second] { try await expectSound(store) }
    }
  }

  @Test func `what was only appended becomes a fork at the common position`() async throws {
    try await pair { session in
      try await session.append([.prompt("Pears?"), .response("Here.")])
    } _: { pair in
      try await pair.theirs.append(.prompt("Cherries?"))
      try await pair.theirs.revise(0, to: .prompt("Many pears?"))
      try await pair.ours.append(.prompt("Apples?"))
      let photo = Entry.NewAttachment(.bytes([1, 2]), label: "photo", madeBy: .user)
      try await pair.ours.append(.response("Here they are."), attaching: [photo])
      try await pair.ours.append(.response("Wrong."))
      try await pair.ours.revise(4, to: .response("Right."))
      try await pair.ours.rename("Apples")
      let plan = try await pair.plan()
      #expect(plan.isFork && plan.comparison.common == 2 && plan.owedErasures.isEmpty)
      let parted = try #require(plan.parted)
      #expect(parted.records.count { $0.kind == .entry } == 3)
      let fork = try await pair.give(parted)
      #expect(try await fork.texts() == ["Pears?", "Here.", "Apples?", "Here they are.", "Right."])
      #expect(try await fork.attachment("photo").artifact?.bytes() == [1, 2])
      #expect(try await fork.revisions(of: 4).map(\.entry.text) == ["Wrong."])
      let summary = try await fork.summary()
      #expect(
        summary.forkOf == pair.theirs.id && summary.title == "Apples" && summary.tags == ["a"])
      #expect(try await pair.theirs.texts() == ["Many pears?", "Here.", "Cherries?"])
      // It goes on like any other session.
      try await fork.append(.prompt("More?"))
      try await fork.caption(fork.attachment("photo"), "two apples")
      try await fork.erase(3)
    }
  }

  @Test func `what changed something that both have becomes a full copy, and says of what`()
    async throws
  {
    try await pair { session in
      try await session.append([.prompt("Pears?"), .response("Here."), .response("There.")])
    } _: { pair in
      try await pair.theirs.append(.prompt("Cherries?"))
      try await pair.ours.revise(1, to: .response("In the basket."))
      try await pair.ours.erase(2)
      try await pair.ours.append(.prompt("Apples?"))
      let plan = try await pair.plan()
      #expect(!plan.isFork && plan.owedErasures == [.entry(position: 2)])
      let copy = try await pair.give(try #require(plan.parted))
      #expect(try await copy.texts() == ["Pears?", "In the basket.", "", "Apples?"])
      #expect(try await copy.revisions(of: 1).map(\.entry.text) == ["Here."])
      let metadata = try #require(try await copy.metadata())
      #expect(metadata["x"] == 1)
      let origin = try #require(metadata[Parting.originKey])
      #expect(origin["session"]?.stringValue == pair.theirs.id.uuidString.lowercased())
      #expect(origin["changes"] == 3)
      #expect(try await copy.summary().forkOf == nil)
      #expect(try await pair.theirs.texts() == ["Pears?", "Here.", "There.", "Cherries?"])
    }
  }

  /// The artifact waits for an output, which a fork would never get.
  @Test func `an artifact that waits for its entry comes along`() async throws {
    try await pair { session in
      try await session.append(.prompt("A cup."))
      try await session.append(.toolCalls([.init(id: "c", tool: "Draw")]))
      try await session.attach(
        .init(.bytes([7]), madeBy: .toolCall(.init(id: "c", tool: "Draw"))))
    } _: { pair in
      try await pair.theirs.append(.prompt("Cherries?"))
      try await pair.ours.append(.event("Waiting."))
      let copy = try await pair.give(try #require(try await pair.plan().parted))
      let output = try await copy.append(
        .toolOutput(callID: "c", tool: "Draw", segments: [.text("done")]))
      #expect(output.attachments.count == 1)
    }
  }

  /// Both kinds of parting, of which the copy has the erased rows itself.
  @Test(arguments: [true, false])
  func `what the hub erased meanwhile is not in it, nor what hangs on that`(isFork: Bool)
    async throws
  {
    let secret = [UInt8](repeating: 0x5A, count: 40)
    try await pair { session in
      let photo = Entry.NewAttachment(.bytes(secret), fileName: "secret.png", madeBy: .user)
      try await session.append(.prompt("A secret pear."), attaching: [photo])
      try await session.append([.response("A secret answer."), .prompt("Go on.")])
      let call = Entry.ToolCall(id: "c", tool: "Draw", arguments: #"{"of": "a secret"}"#)
      try await session.append(.toolCalls([call]))
    } _: { pair in
      let note = Entry.NewAttachment(.bytes([9]), fileName: "secret note", madeBy: .user)
      try await pair.ours.append(.response("Mine."))
      try await pair.ours.attach(note, to: 0)
      let run = try await pair.ours.begin(
        .tool, "Draw", .init(arguments: #"{"of": "a secret"}"#), callID: "c")
      try await pair.ours.end(run, .finished, output: "my output")
      if !isFork { try await pair.ours.revise(1, to: .response("Another secret answer.")) }
      for position in [0, 1, 3] { try await pair.theirs.erase(position) }
      let plan = try await pair.plan()
      #expect(plan.isFork == isFork)
      let parted = try #require(plan.parted)
      let bytes = try parted.encoded()
      #expect(!String(decoding: bytes, as: UTF8.self).contains("secret"))
      #expect(
        !parted.records.flatMap(\.requiredArtifacts).contains(
          Artifact.ID(SHA256.digest(of: secret))))
      let got = try await pair.give(parted)
      #expect(try await got.texts() == ["", "", "Go on.", "", "Mine."])
      #expect(try await got.entry(at: 0).attachments.map(\.state) == [.erased, .erased])
      #expect(try await got.summary().preview == "Go on.")
      #expect(try await got.invocations().map(\.output) == ["my output"])
    }
  }

  /// Whoever makes it: the same store again, after it was closed, and a copy of its folder.
  @Test func `the same comes of it, byte for byte, whoever makes it`() async throws {
    try await pair { session in
      try await session.append([.prompt("Pears?"), .response("Here.")])
    } _: { pair in
      try await pair.ours.append(.prompt("Apples?"))
      try await pair.ours.attach(.init(.bytes([1]), madeBy: .user), to: 2)
      try await pair.ours.revise(0, to: .prompt("No pears?"))
      try await pair.theirs.erase(1)
      let commits = try await pair.hub.takeCommits()
      func parted(_ store: Store) async throws -> SessionCommit {
        try #require(try await store.parting(of: pair.theirs.id, from: commits).parted)
      }
      let first = try await parted(pair.other)
      let path = pair.other.url.path + ".copy"
      defer { try? FileManager.default.removeItem(atPath: path) }
      try FileManager.default.copyItem(atPath: pair.other.url.path, toPath: path)
      for _ in 1...2 {
        let copy = try Store(path: path, options: .withoutIndexing, registry: StoreRegistry())
        let again = try await parted(copy)
        await copy.close()
        #expect(try again.encoded() == first.encoded())
      }
      // The one more erasure comes behind what was there without it.
      try await pair.theirs.erase(0)
      let more = try await pair.hub.takeCommits()
      let later = try #require(
        try await pair.other.parting(of: pair.theirs.id, from: commits + more).parted)
      #expect(later.session == first.session)
      let comparison = try PastComparison(
        ours: SessionPast(of: [later]), theirs: SessionPast(of: [first]))
      #expect(comparison.outcome == .ahead)
      #expect(first.session.bytes[6] >> 4 == 8 && first.session.bytes[8] >> 6 == 2)
    }
  }

  @Test func `our forks of what is ours come along, and theirs of these`() async throws {
    try await pair { session in
      try await session.append([.prompt("Pears?"), .response("Here.")])
    } _: { pair in
      let early = try await pair.ours.fork()
      try await pair.ours.append([.prompt("Apples?"), .response("There.")])
      let fork = try await pair.ours.fork(before: 3, title: "A fork")
      try await fork.append(.response("Nowhere."))
      let forks = try await fork.fork()
      try await forks.append(.prompt("Why?"))
      try await pair.theirs.append(.prompt("Cherries?"))
      let plan = try await pair.plan()
      #expect(plan.followers.map(\.session) == [fork.id, forks.id])
      #expect(!plan.followers.contains { $0.session == early.id })
      let parted = try await pair.give(try #require(plan.parted))
      for follower in plan.followers { _ = try await pair.give(follower) }
      let second = try await pair.hub.session(forks.id)
      #expect(try await second.texts() == ["Pears?", "Here.", "Apples?", "Nowhere.", "Why?"])
      #expect(try await pair.hub.session(fork.id).summary().forkOf == parted.id)
    }
  }

  /// A draft is its store's own affair, and stays with the original.
  @Test func `a draft is no part of it`() async throws {
    try await pair { session in
      try await session.append(.prompt("Pears?"))
    } _: { pair in
      let draft = try await pair.ours.draft(.response)
      draft.append("Half an answer")
      try await draft.flush()
      try await pair.theirs.append(.prompt("Cherries?"))
      #expect(try await pair.plan().comparison.outcome == .behind)
      try await pair.ours.append(.prompt("Apples?"))
      let commits = try await pair.hub.wholeCommits(of: [pair.theirs.id])
      let plan = try await pair.other.parting(of: pair.theirs.id, from: commits)
      let parted = try #require(plan.parted)
      #expect(!String(decoding: try parted.encoded(), as: UTF8.self).contains("Half"))
      try await draft.finish()
    }
  }
}
