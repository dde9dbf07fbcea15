#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Compares a hub's lists with the versions of its sessions, and mends the lists if that is wanted.
struct HubLists: Sendable {
  /// The most sessions that the hub is asked for at once.
  private static let part = 500

  /// The sessions whose entries in the lists are wrong or missing, in the order in which the sessions were read.
  private(set) var wrong: [UUID] = []
  private let isMending: Bool
  /// Tells whether the hub keeps lists. This is assumed until the hub has answered.
  private var areKept = true
  private var waiting: [Expected] = []
  /// The forks whose entries are still to be mended. A fork gets the terms of its origin, so the origin's entry is mended first.
  private var forks: [Expected] = []
  /// The terms of deleted sessions that have forks, by the id of the deleted session.
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

  /// Compares the sessions that were added and not compared yet, and mends the forks.
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
