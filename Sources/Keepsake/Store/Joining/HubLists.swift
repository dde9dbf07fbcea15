#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Compares a hub's lists with the versions of its sessions, and mends the lists if that is wanted.
struct HubLists: Sendable {
  /// The most sessions that the hub is asked for at once.
  static let part = 500

  /// The sessions whose entries in the lists are wrong or missing, in the order in which the sessions were read.
  private(set) var wrong: [UUID] = []
  private let isMending: Bool
  /// Tells whether the hub keeps lists. This is assumed until the hub has answered.
  private(set) var areKept = true
  private var waiting: [Expected] = []
  /// The forks whose entries are still to be mended. A fork gets the terms of its origin, so the origin's entry is mended first.
  private var forks: [Expected] = []
  /// The terms of deleted sessions that have forks, by the id of the deleted session.
  private var left: [UUID: Set<HubTerm>] = [:]

  /// An entry as it should be, according to the versions of a session.
  struct Expected: Sendable {
    fileprivate var listed: HubListed
    fileprivate let origin: UUID?
    /// The terms that a deleted session had; nil for one that was not deleted, or has no forks.
    fileprivate let left: Set<HubTerm>?

    /// - Parameters:
    ///   - session: The session.
    ///   - stamp: The stamp of its newest version.
    ///   - commits: The commits from the last one that has the whole session on.
    init(_ session: UUID, at stamp: UUID, _ commits: [SessionCommit]) {
      var listing = HubListing(place: .unlisted)
      for commit in commits { listing.add(HubListing(of: commit)) }
      listed = HubListed(
        session: session, stamp: stamp, updated: listing.updated, terms: listing.terms)
      origin = listing.origin
      left = commits.last.flatMap { $0.isOfPurged ? HubListing.terms(of: $0) : nil }
    }
  }

  init(isMending: Bool) { self.isMending = isMending }

  /// Adds the entry of a session.
  mutating func add(_ expected: Expected) {
    if isMending, let left = expected.left { self.left[expected.listed.session] = left }
    waiting.append(expected)
  }

  /// Mends the forks, after all sessions were compared.
  mutating func finish(at hub: some Hub) async throws {
    while !forks.isEmpty {
      let sessions = Set(forks.map(\.listed.session))
      let start = forks.partition { fork in fork.origin.map { !sessions.contains($0) } ?? true }
      // Sessions that name each other as their origins, which only damage makes, have no order.
      let next = start < forks.count ? Array(forks[start...]) : forks
      forks.removeLast(next.count)
      for fork in next { try await mend(fork, at: hub) }
    }
  }

  /// Compares the entries that were added, and not compared yet, with those of the hub.
  mutating func compare(with hub: some Hub) async throws {
    if waiting.isEmpty { return }
    let expected = waiting
    waiting = []
    guard let found = try await hub.listings(of: expected.map(\.listed.session)) else {
      areKept = false
      return
    }
    let said = Dictionary(found.map { ($0.session, $0) }) { first, _ in first }
    for expected in expected {
      let listed = expected.listed
      // A session that changed meanwhile was put into the lists by its commit.
      guard let said = said[listed.session], said.stamp == listed.stamp else { continue }
      if isMending, expected.origin != nil {
        forks.append(expected)
        continue
      }
      if !said.finds(listed) { wrong.append(listed.session) }
      if isMending, said != listed { _ = try await hub.list(listed) }
    }
  }

  /// Adds the terms of a fork's origin to the fork's entry. The entry keeps its other terms, because the origin may have lost something
  /// that the fork still shares.
  private mutating func mend(_ fork: Expected, at hub: some Hub) async throws {
    var listed = fork.listed
    let family = [listed.session] + (fork.origin.map { [$0] } ?? [])
    let found = try await hub.listings(of: family) ?? []
    guard let said = found.first(where: { $0.session == listed.session }),
      said.stamp == listed.stamp
    else { return }
    let origin = found.first { $0.session == fork.origin }?.terms ?? []
    listed.terms.formUnion(
      origin.union(fork.origin.flatMap { left[$0] } ?? []).filter { $0.kind != .sessionTag })
    if said.finds(listed) { return }
    wrong.append(listed.session)
    listed.terms.formUnion(said.terms.filter { $0.kind != .sessionTag })
    _ = try await hub.list(listed)
  }
}

extension HubListed {
  /// Tells whether the entry has the time and all terms of an expected entry, and no other tags of the session itself. Any other term that
  /// is too much only finds too much, but sessions are counted by their tags.
  fileprivate func finds(_ expected: HubListed) -> Bool {
    updated == expected.updated && expected.terms.isSubset(of: terms) && tags == expected.tags
  }

  private var tags: Set<HubTerm> { terms.filter { $0.kind == .sessionTag } }
}
