import Foundation
import KeepsakeTestSupport
import Testing

@testable import Keepsake

/// A store whose commits are the hub's, and another one that had the same sessions and went on by itself.
struct PartedStores {
  /// The store that the hub has everything of.
  let hub: Store
  /// The store that went on without the hub.
  let other: Store
  private(set) var hubs: RandomHistory
  private(set) var others: RandomHistory
  /// The commits that the hub took since the two had the same, by session.
  private(set) var taken: [UUID: [SessionCommit]] = [:]
  /// The chains of the sessions that both had.
  private(set) var chains: [UUID: Chain] = [:]
  /// What was done, for messages of failing tests.
  private(set) var deeds: [String] = []

  init(hub: Store, other: Store, seed: UInt64) {
    self.hub = hub
    self.other = other
    hubs = RandomHistory(seed: seed)
    others = RandomHistory(seed: seed &* 7919 &+ 1)
  }

  /// Makes a past of some steps in the hub's store, and gives it to the other one.
  mutating func begin(steps: Int) async throws {
    for _ in 0..<steps { deeds.append("both: \(try await hubs.step(on: hub))") }
    _ = try await hub.takeCommits()
    let bytes = StoredBytes(store: hub)
    let commits = try await hub.wholeCommits(of: hubs.talks.map(\.session.id))
    for commit in commits { try await other.apply(commit, artifacts: bytes) }
    for commit in commits { chains[commit.session] = commit.end }
    for talk in hubs.talks {
      let session = try await other.session(talk.session.id)
      others.talks.append(.init(session: session, name: talk.name))
    }
    others.files = hubs.files
    // So that both give other names from now on.
    others.given = hubs.given + 1_000_000
  }

  mutating func goOnAtHub(steps: Int) async throws {
    for number in 0..<steps {
      deeds.append("hub: \(try await hubs.step(on: hub))")
      if number % 5 == 4 || number == steps - 1 { try await take() }
    }
  }

  mutating func goOnElsewhere(steps: Int) async throws {
    for _ in 0..<steps { deeds.append("other: \(try await others.step(on: other))") }
  }

  /// Takes the hub's commits since the last time.
  mutating func take() async throws {
    for commit in try await hub.takeCommits() { taken[commit.session, default: []].append(commit) }
  }

  /// Compares a session that both had, as the other store has it, with what the hub took; nil where the hub took nothing.
  func plan(_ session: UUID, from store: Store? = nil) async throws -> PartingPlan? {
    guard let commits = taken[session] else { return nil }
    return try await (store ?? other).parting(
      of: session, from: commits, since: chains[session], deleted: deleted)
  }

  /// The sessions that both had and the hub has no more.
  var deleted: Set<UUID> {
    Set(chains.keys).subtracting(hubs.talks.map(\.session.id))
  }

  /// The sessions that both had and the other store still has.
  var shared: [UUID] { others.talks.map(\.session.id).filter { chains[$0] != nil } }

  /// Tells whether a session of the other store shares entries of another one.
  func inherits(_ session: UUID) async throws -> Bool {
    try await !other.session(session).lineage.shared.isEmpty
  }

  /// Gives a commit of the other store to a store.
  func give(_ commit: SessionCommit, to store: Store) async throws {
    try await store.apply(
      SessionCommit(decoding: commit.encoded()), artifacts: StoredBytes(store: other))
  }

  /// Gives all sessions of the hub to a store that has none of them, and that may have deleted ones.
  func fill(_ store: Store) async throws {
    let bytes = StoredBytes(store: hub)
    for commit in try await hub.wholeCommits(of: hubs.talks.map(\.session.id)) {
      try await store.apply(commit, artifacts: bytes)
    }
  }

  /// Makes the two stores, and removes them afterwards.
  static func make(
    seed: UInt64, _ body: (inout PartedStores) async throws -> Void
  ) async throws {
    var tracking = Store.Options.withoutIndexing
    tracking.tracksChanges = true
    try await withTemporaryStore(options: tracking) { hub in
      try await withTemporaryStore(options: .withoutIndexing) { other in
        var stores = PartedStores(hub: hub, other: other, seed: seed)
        try await body(&stores)
      }
    }
  }
}
