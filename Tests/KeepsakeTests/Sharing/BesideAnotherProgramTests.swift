import Foundation
import KeepsakeFiles
import KeepsakeHubConformance
import Testing

@testable import Keepsake

/// A program reads the hub while another program that uses the same folder writes.
@Suite struct `A program beside another one that shares the folder` {
  /// One program deletes the session at this moment, so a second program compares the session with what the hub has. What the second program
  /// reads at the hub is always older than what the first one has written to the folder meanwhile.
  @Test func `tells the hub nothing that the hub has`() async throws {
    try await Sharers.make { sharers in
      let session = try await sharers.first.createSession()
      try await session.append(.prompt("one"))
      let plan = EventfulHub.Plan()
      let beside = try sharers.first.asAnotherProcess()
      let address = sharers.address
      try await beside.share(
        HubAddress(address.description) {
          EventfulHub(hub: try await address.open($0), plan: plan)
        })
      try await Self.offer(.removal(of: session.id), in: sharers.first)
      let hasOffered = Locked(false)
      plan.next(.beforeCommit) { hasOffered.withLock { $0 = true } }
      let left = Locked(["two", "three", "four"])
      @Sendable func append() async throws {
        guard let text = left.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
        try await session.append(.prompt(text))
        plan.next(.afterVersions) { try await append() }
      }
      plan.next(.afterVersions) { try await append() }
      try await beside.session(session.id).refresh()
      #expect(left.withLock { $0 } == [])
      #expect(!hasOffered.withLock { $0 })
      await beside.close()
      try await sharers.requireSame()
      #expect(
        try await session.entries.all().map(\.text) == ["one", "two", "three", "four"])
    }
  }

  /// A program has written down an offer, and ended before it sent the offer. Then another program appended an entry.
  @Test func `does not tell the hub again what came after an offer that was left`() async throws {
    try await Sharers.make { sharers in
      let session = try await sharers.first.createSession()
      let renamed = try sharers.first.handle.read { db -> SessionCommit in
        let number = try #require(try Store.number(of: session.id, in: db))
        let whole = try WholeCommits(in: db).commit(of: number)
        return SessionCommit(
          session: session.id, base: whole.end, end: whole.end, records: whole.records, gone: [],
          erased: [])
      }
      try await Self.offer(renamed, in: sharers.first)
      try await session.append(.prompt("one"))
      try await sharers.requireSame()
      let hub = try #require(sharers.first.handle.store.sharing).hub
      let commits = try await hub.allVersions(of: session.id).map(\.commit)
      #expect(zip(commits, commits.dropFirst()).allSatisfy { $0.end == $1.base })
    }
  }

  /// Writes down an offer, as a program does before it sends the offer.
  private static func offer(_ commit: SessionCommit, in store: Store) async throws {
    try await store.handle.write { change in
      let seen = try change.db.hubSessions.row(commit.session)
      try change.db.offers.insert(.init(commit, after: seen?.stamp))
    }
  }
}
