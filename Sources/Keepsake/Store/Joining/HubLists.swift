#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Compares a hub's lists with what the versions of its sessions say, and mends them if that is wanted.
struct HubLists: Sendable {
  /// The most sessions that the hub is asked for at once.
  private static let part = 500

  /// The sessions that were not found as they should have been, in the order in which they were read.
  private(set) var wrong: [UUID] = []
  private let isMending: Bool
  /// Tells whether the hub keeps lists, as far as is known.
  private var areKept = true
  private var waiting: [Expected] = []
  /// The forks, if the lists are mended. Forks get the terms of what they were forked from, and so these come first.
  private var forks: [Expected] = []
  /// The terms that forks of deleted sessions get, by the session.
  private var left: [UUID: Set<HubTerm>] = [:]

  private struct Expected: Sendable {
    var listed: HubListed
    let origin: UUID?
  }

  init(isMending: Bool) { self.isMending = isMending }

  /// Adds a session.
  /// - Parameters:
  ///   - session: The session.
  ///   - stamp: The stamp of its newest version.
  ///   - commits: The commits from the last one that has the whole session on.
  ///   - hub: The hub.
  mutating func add(
    _ session: UUID, at stamp: UUID, _ commits: [SessionCommit], of hub: some Hub
  ) async throws {
    guard areKept else { return }
    var listing = HubListing(place: .unlisted)
    for commit in commits { listing.add(HubListing(of: commit)) }
    if isMending, let last = commits.last, last.isOfPurged {
      left[session] = HubListing.terms(of: last)
    }
    let listed = HubListed(
      session: session, stamp: stamp, updated: listing.updated, terms: listing.terms)
    waiting.append(Expected(listed: listed, origin: listing.origin))
    if waiting.count == Self.part { try await compare(with: hub) }
  }

  /// Compares what is left, and mends the forks.
  mutating func finish(at hub: some Hub) async throws {
    try await compare(with: hub)
    while !forks.isEmpty {
      let sessions = Set(forks.map(\.listed.session))
      let start = forks.partition { fork in fork.origin.map { !sessions.contains($0) } ?? true }
      // Sessions that name each other as their origins, which only damage makes, have no order.
      let next = start < forks.count ? Array(forks[start...]) : forks
      forks.removeLast(next.count)
      for fork in next { try await mend(fork, at: hub) }
    }
  }

  private mutating func compare(with hub: some Hub) async throws {
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

  /// Adds to the terms of a fork those of what it was forked from. Terms that it has stay: what it shares may be gone from there.
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
  /// Tells whether a session is found by all of some terms, and in its place.
  fileprivate func finds(_ expected: HubListed) -> Bool {
    updated == expected.updated && expected.terms.isSubset(of: terms)
  }
}
