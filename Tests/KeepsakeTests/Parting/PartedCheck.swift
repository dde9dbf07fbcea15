import Foundation
import Testing

@testable import Keepsake

/// Gives a session that parted to a store, and compares it there with what it was.
struct PartedCheck {
  let stores: PartedStores
  let session: UUID
  let plan: PartingPlan

  /// Gives the session to a store, and returns what differs there; nil if nothing does.
  func difference(in store: Store) async throws -> String? {
    guard let parted = plan.parted else { return "nothing parted" }
    try await stores.give(parted, to: store)
    if let difference = try await differenceOfRecords(of: parted, from: session, in: store) {
      return difference
    }
    if let difference = try await differenceOfReading(of: parted, in: store) { return difference }
    // In the store where they are from, the forks still stand on our part of the original.
    guard store.url != stores.other.url else { return nil }
    let start = try await stores.other.session(session).lineage.start
    if let kept = plan.kept { try await stores.give(kept, to: store) }
    for fork in plan.followers {
      try await stores.give(fork, to: store)
      // A fork that the other store deleted is there only for forks of its own, and no store shows it.
      guard stores.others.talks.contains(where: { $0.session.id == fork.session }) else {
        let shown = try await store.sessions().sessions.map(\.id)
        guard !shown.contains(fork.session) else { return "deleted fork \(fork.session) is shown" }
        continue
      }
      if let difference = try await differenceOfRecords(of: fork, from: fork.session, in: store) {
        return "fork \(fork.session): \(difference)"
      }
      let mine = try await stores.other.session(fork.session).entries.all()
      let got = try await store.session(fork.session).entries.all()
      for (mine, got) in zip(mine, got)
      where mine.text != got.text && !got.isErased && !isStillToErase(mine, sharedBelow: start) {
        return "fork \(fork.session) says '\(got.text)', not '\(mine.text)'"
      }
      guard mine.count == got.count else { return "fork \(fork.session) has \(got.count) entries" }
    }
    return nil
  }

  /// Tells whether a sync would still erase an entry in the hub's store: the entry is erased in the other store alone, in the original or in
  /// a session that the original shares the entry from. These histories do not sync.
  private func isStillToErase(_ mine: Entry, sharedBelow start: Int) -> Bool {
    guard mine.isErased, let position = mine.position else { return false }
    return position < start || plan.owedErasures.contains(.entry(position: position))
  }

  /// Compares what a store gives back with what it got.
  ///
  /// - Parameters:
  ///   - commit: What the store got.
  ///   - origin: The session of the other store that the commit was made of.
  private func differenceOfRecords(
    of commit: SessionCommit, from origin: UUID, in store: Store
  ) async throws -> String? {
    let back = try await store.wholeCommits(of: [commit.session]).first {
      $0.session == commit.session
    }
    guard let back else { return "session \(commit.session) is not there" }
    let expected = try await expected(commit, from: origin, having: back, in: store)
    let lines = try SessionCommit(
      session: commit.session, base: commit.base, end: commit.end, records: expected,
      gone: commit.gone, erased: commit.erased
    ).encoded().split(separator: UInt8(ascii: "\n"))
    let backs = try back.encoded().split(separator: UInt8(ascii: "\n"))
    for (line, back) in zip(lines, backs) where line != back {
      return
        "\(String(decoding: back, as: UTF8.self)), not \(String(decoding: line, as: UTF8.self))"
    }
    return lines.count == backs.count ? nil : "\(backs.count) records, not \(lines.count)"
  }

  /// Returns the records of a commit as a store gives them back.
  ///
  /// The session may share entries of a third session of which only one of the two stores erased something, and these histories do not sync the
  /// third session. The store then takes the records of files that say an entry that is erased there out of the session, and works out the
  /// preview and the number of attachments anew.
  private func expected(
    _ commit: SessionCommit, from origin: UUID, having back: SessionCommit, in store: Store
  ) async throws -> [CopyRecord] {
    let session = try await store.session(commit.session)
    let got = try await session.entries.all()
    let mine = try await stores.other.session(origin).entries.all()
    let shared = zip(mine, got).prefix(session.lineage.start)
    let erased = try store.handle.read { try session.erasedShared(in: $0) }
    let isSame = PartedReading.showsSame(shared)
    let preview = got.first { $0.kind == .prompt && !$0.isErased && $0.visibility != .model }
      .flatMap(\.preview)
    return commit.records.map { record in
      var expected = record
      if record.kind == .piece, record.says(erased) {
        expected["bytes"] = .null
        expected.children = []
      }
      if record.kind == .standing, !isSame,
        let there = back.records.first(where: { $0.kind == .standing })
      {
        expected["attachments"] = there["attachments"]
        if there.text("preview") == preview { expected["preview"] = there["preview"] }
      }
      return expected
    }
  }

  private func differenceOfReading(of parted: SessionCommit, in store: Store) async throws
    -> String?
  {
    let mine = try await PartedReading(of: stores.other.session(session))
    let got = try await PartedReading(of: store.session(parted.session))
    let isThere = stores.hubs.talks.contains { $0.session.id == session }
    let hub = isThere ? try await PartedReading(of: stores.hub.session(session)) : nil
    let records = try await SessionRecords(
      of: session, in: stores.other.wholeCommits(of: [session]))
    let common = plan.comparison.common
    let appended = records.past.links.prefix(common).count {
      $0.operation == Chain.Operation.append.rawValue
    }
    let remains = PartedRemains(
      ours: records,
      theirs: isThere
        ? try await SessionRecords(of: session, in: stores.hub.wholeCommits(of: [session])) : nil,
      common: common, commonEntries: records.start + appended, parted: parted)
    if let what = remains.first { return "left of what was erased: \(what)" }
    let known = Set(
      records[.attachment].filter { $0.recorded <= common }.compactMap { $0.text("label") })
    if let difference = mine.difference(
      to: got, hub: hub, start: records.start, common: records.start + appended,
      knownLabels: known, isFork: plan.isFork)
    {
      return difference
    }
    let isErased =
      !isThere
      || stores.taken[session]?.contains { $0.records.contains { $0.isErased(after: common) } }
        ?? false
    let sources = try await PartedSources(
      of: session, after: plan.isFork ? common : 0, in: stores.other)
    let became = try await store.session(parted.session)
    let gone = try store.handle.read { try became.erasedShared(in: $0) }
    if let difference = try await sources.difference(
      to: PartedSources(of: parted.session, in: store), isErased: isErased, shared: gone)
    {
      return difference
    }
    return try await differenceOfSearch(
      got, parted.session, start: records.start + appended, in: store)
  }

  /// Searches for the words of the newest entries, which our session is found by.
  private func differenceOfSearch(
    _ reading: PartedReading, _ id: UUID, start: Int, in store: Store
  ) async throws -> String? {
    for entry in reading.entries.suffix(3) where entry.position ?? 0 >= start && !entry.isErased {
      let words = entry.text.prefix(200).split { !$0.isLetter && !$0.isNumber }
      if words.isEmpty { continue }
      let query = words.joined(separator: " ")
      let mine = try await stores.other.search(query, in: .init(session: session), limit: 100)
      let got = try await store.search(query, in: .init(session: id), limit: 100)
      for hit in mine.hits where hit.position == entry.position {
        guard got.hits.contains(where: { $0.position == hit.position }) else {
          return "a search for '\(query)' does not find entry \(hit.position)"
        }
      }
    }
    return nil
  }
}
