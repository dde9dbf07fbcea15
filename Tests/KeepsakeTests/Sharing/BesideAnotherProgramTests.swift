import Foundation
import KeepsakeFiles
import KeepsakeHubConformance
import Testing

@testable import Keepsake

/// A program reads the hub while another program that uses the same folder writes.
@Suite struct `A program beside another one that shares the folder` {
  /// The folder has an offer of a deletion, as while a program deletes the session. A second program therefore compares the session with the
  /// hub. A first program appends an entry after each of the second program's first three readings of the hub.
  @Test func `tells the hub nothing that the hub has`() async throws {
    try await Sharers.make { sharers in
      let session = try await sharers.first.createSession()
      try await session.append(.prompt("one"))
      let left = Locked(["two", "three", "four"])
      let hasOffered = Locked(false)
      try await Self.refresh(session, of: sharers) {
        guard let text = left.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
          return false
        }
        try await session.append(.prompt(text))
        return true
      } beforeOffering: {
        hasOffered.withLock { $0 = true }
      }
      #expect(left.withLock { $0 } == [])
      #expect(!hasOffered.withLock { $0 })
      try await sharers.requireSame()
      #expect(
        try await session.entries.all().map(\.text) == ["one", "two", "three", "four"])
    }
  }

  /// A first program appends an entry after each reading of the hub by a second program, until the second program stops comparing the session
  /// with the hub, and sends the offer that the folder has.
  @Test func `leaves a session aside that changes all the time, and takes it up again`()
    async throws
  {
    try await Sharers.make { sharers in
      let session = try await sharers.first.createSession()
      let isBusy = Locked(true)
      let fault = Locked<String?>(nil)
      try await Self.refresh(session, of: sharers) {
        guard isBusy.withLock({ $0 }) else { return false }
        try await session.append(.prompt("more"))
        return true
      } beforeOffering: {
        isBusy.withLock { $0 = false }
        let row = try sharers.first.handle.read { try $0.hubSessions.row(session.id) }
        fault.withLock { $0 = row?.fault }
      }
      #expect(fault.withLock { $0 } == KeepsakeError.changing(session.id).message)
      try await sharers.requireSame()
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

  /// Has a second program refresh a session of the first store, in whose folder an offer to delete the session is written down.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - sharers: The stores.
  ///   - read: Runs after the second program has read versions at the hub, as long as it returns true.
  ///   - offer: Runs before the second program sends its first offer.
  private static func refresh(
    _ session: Session, of sharers: Sharers,
    afterReading read: @escaping @Sendable () async throws -> Bool,
    beforeOffering offer: @escaping @Sendable () async throws -> Void
  ) async throws {
    let plan = EventfulHub.Plan()
    let reaching = Sharers.reaching(0) { EventfulHub(hub: $0, plan: plan) }
    let beside = try sharers.first.asAnotherProcess()
    try await beside.share(reaching(sharers.address, 0))
    try await Self.offer(.removal(of: session.id), in: sharers.first)
    @Sendable func reading() async throws {
      if try await read() { plan.next(.afterVersions) { try await reading() } }
    }
    plan.next(.afterVersions) { try await reading() }
    plan.next(.beforeCommit, offer)
    try await beside.session(session.id).refresh()
    await beside.close()
  }

  /// Writes down an offer, as a program does before it sends the offer.
  private static func offer(_ commit: SessionCommit, in store: Store) async throws {
    try await store.handle.write { change in
      let seen = try change.db.hubSessions.row(commit.session)
      try change.db.offers.insert(.init(commit, after: seen?.stamp))
    }
  }
}
