import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

/// A session's own record in commits: it is there if what describes the session changed.
@Suite(.disabled(if: SharedStores.areUsed, "Stores that share hand over no commits."))
struct `A commit of a session that is described` {
  @Test func `has the description only if that changed`() async throws {
    try await CommitPair.make(options: .withoutIndexing) { pair in
      let session = try await pair.first.createSession(title: "Fruit", tags: ["a"])
      try await expectKinds([.session, .standing], after: "created", pair)
      try await session.append(.prompt("Pears?"))
      try await expectKinds([.entry, .standing], after: "a prompt", pair)
      try await session.append(Self.response("Here.", at: Date() + 60))
      try await expectKinds([.entry, .standing], after: "a response a minute later", pair)
      try await session.revise(1, to: .response("There."))
      try await expectKinds(
        [.entry, .revision, .change, .standing], after: "a revision", pair)
      try await session.rename("Vegetables")
      try await expectKinds([.session, .standing], after: "another title", pair)
      try await session.tag(["b"])
      try await expectKinds([.session, .standing], after: "another tag", pair)
      try await session.setMetadata(["place": "kitchen"])
      try await expectKinds([.session, .standing], after: "other metadata", pair)
      let turn = try await session.openTurn()
      try await session.close(turn, .answered)
      try await expectKinds([.turn, .standing], after: "a turn", pair)
      try await pair.verify()
    }
  }

  @Test func `is as small as what changed, however much describes the session`() async throws {
    try await CommitPair.make(options: .withoutIndexing) { pair in
      let session = try await pair.first.createSession(title: "Fruit")
      try await session.setMetadata(["notes": .string(String(repeating: "pears ", count: 20_000))])
      try await pair.handOver("metadata")
      try await session.append(.prompt("Pears?"))
      let commits = try await pair.first.takeCommits()
      #expect(try commits.map { try $0.encoded().count }.reduce(0, +) < 1500)
    }
  }

  /// The other store lists the session where the first one does, although the commit has no description.
  @Test func `tells the time of the newest entry`() async throws {
    try await CommitPair.make(options: .withoutIndexing) { pair in
      let session = try await pair.first.createSession(title: "Fruit")
      try await pair.handOver("created")
      let later = Date(timeIntervalSince1970: 2_000_000_000)
      try await session.append(Self.response("Pears.", at: later))
      let commit = try #require(try await pair.first.takeCommits().first)
      #expect(HubListing(of: commit).place == .listed(updated: 2_000_000_000_000_000))
      #expect(HubListing(of: commit).replaced == .nothing)
      try await pair.second.apply(commit, artifacts: StoredBytes(store: pair.first))
      #expect(try await pair.second.session(session.id).summary().updated == later)
    }
  }

  @Test func `is always there if the session was deleted`() async throws {
    try await CommitPair.make(options: .withoutIndexing) { pair in
      let session = try await pair.first.createSession(title: "Fruit")
      try await session.append([.prompt("Pears?"), .response("Here.")])
      let fork = try await session.fork()
      try await pair.handOver("a fork")
      try await pair.first.deleteSession(session.id)
      try await pair.handOver("deleted")
      try await fork.erase(0)
      let commits = try await pair.first.takeCommits()
      let commit = try #require(commits.first { $0.session == session.id })
      #expect(commit.isOfPurged)
    }
  }

  /// An older Keepsake listed the session's own row with each change, and no counters.
  @Test func `is told with the counters if an older Keepsake listed the change`() async throws {
    try await CommitPair.make(options: .withoutIndexing) { pair in
      let session = try await pair.first.createSession(title: "Fruit")
      try await pair.handOver("created")
      try await session.append(.prompt("Pears?"))
      try await pair.first.handle.write { change in
        try change.db.connection.execute(
          "UPDATE unsent SET kind = \(CopyRecord.Kind.session.code) WHERE kind = \(CopyRecord.Kind.standing.code)"
        )
      }
      try await expectKinds([.session, .entry, .standing], after: "a prompt", pair)
    }
  }

  /// The commits of an older Keepsake have the session's own record, and no time beside the counters.
  @Test func `of an older Keepsake is taken over`() async throws {
    try await CommitPair.make(options: .withoutIndexing) { pair in
      let session = try await pair.first.createSession(title: "Fruit")
      try await pair.handOver("created")
      try await session.append(Self.response("Pears.", at: Date() + 60))
      let commit = try #require(try await pair.first.takeCommits().first)
      let own = try pair.first.handle.read { try $0.copies.session(session.number) }
      var records = [try #require(own)] + commit.records
      records[records.count - 1]["updated"] = .null
      let older = SessionCommit(
        session: commit.session, base: commit.base, end: commit.end, records: records, gone: [],
        erased: [])
      let bytes = try older.encoded()
      #expect(String(decoding: bytes, as: UTF8.self).hasPrefix(#"{"commit":1,"#))
      try await pair.second.apply(
        SessionCommit(decoding: bytes), artifacts: StoredBytes(store: pair.first))
      #expect(try await pair.difference() == nil)
      #expect(String(decoding: try commit.encoded(), as: UTF8.self).hasPrefix(#"{"commit":3,"#))
    }
  }

  private static func response(_ text: String, at time: Date) -> Entry {
    var response = Entry.response(text)
    response.created = time
    return response
  }

  /// Hands over what changed, which has to be one commit with records of these kinds.
  private func expectKinds(
    _ kinds: [CopyRecord.Kind], after step: String, _ pair: CommitPair
  ) async throws {
    let commits = try await pair.first.takeCommits()
    var found: [CopyRecord.Kind] = []
    for record in commits.flatMap(\.records) where found.last != record.kind {
      found.append(record.kind)
    }
    #expect(found == kinds, "after: \(step)")
    for commit in commits {
      try await pair.second.apply(commit, artifacts: StoredBytes(store: pair.first))
    }
    let difference = try await pair.difference()
    #expect(difference == nil, "after: \(step)")
  }
}
