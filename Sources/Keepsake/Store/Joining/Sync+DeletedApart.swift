#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// A session that two stores changed before one of them deleted it.
///
/// The store that deleted the session takes over the other store's changes from the hub, as far as forks need them. Then it repeats its own
/// erasures. Another store may have a fork that shares an erased entry, and the hub may not know that fork.
///
/// If this store forked the session after changes that the hub does not have, a deleted session of its own keeps these changes, and the fork
/// becomes a fork of that session, as ``Parting`` says. The original session has the same past in all stores, and keeps the rows
/// that forks in any store need.
extension Sync {
  /// Brings what the hub has of a session that was deleted here together with what this store did before it deleted the session.
  ///
  /// - Parameter last: The last version of the session at the hub.
  /// - Returns: Whether that was done. There is nothing to do if the hub has no changes that this store lacks.
  mutating func bringTogether(_ session: UUID, _ standing: Standing, at last: Version) async throws
    -> Bool
  {
    if last.commit.isRemoval { return false }
    let offer = try erasingOffer(of: session)
    if standing.number == nil, offer == nil { return false }
    do {
      let all = try await hub.allVersions(of: session)
      if all.last?.stamp != last.stamp { throw Changed() }
      if standing.number == nil { return try await offerErasures(of: offer, after: all) }
      let isApart = try handle.read { db in
        let family = try Self.family(of: session, from: all.map(\.commit).telling, in: db)
        guard let plan = family?.plan else { return false }
        // A session that both sides have deleted is left to `accept`, unless forks in this store need changes that the hub lacks.
        return plan.comparison.theirs > 0
          && (!last.commit.isDeletion || plan.comparison.ours > 0 && plan.parted != nil)
      }
      guard isApart else { return false }
      guard try await takeOverHidden(session, all) else { return false }
      if last.commit.isDeletion { try await accept(last, of: session, self.standing(session)) }
      return true
    } catch let error where error.isOfDamagedVersions {
      // Damaged versions keep nobody from deleting the session.
      return false
    }
  }

  /// Takes over the hub's versions of a session that was deleted here, and repeats in them the erasures of this store. The session stays hidden.
  /// The end of the pull removes the rows that no fork needs.
  ///
  /// - Returns: Whether that was done. Nothing is done if the hub's version of a deleted session lacks entries that forks in this store share,
  ///   and this store does not have the same entries.
  @discardableResult
  mutating func takeOverHidden(_ session: UUID, _ all: [Version]) async throws -> Bool {
    guard let last = all.last else { return false }
    let commits = all.map(\.commit).telling
    if commits.areErased { throw KeepsakeError.erasedMeanwhile(session) }
    if let first = commits.first, first.isWhole { try await requireParent(of: first) }
    let here = try handle.read { db in try Self.family(of: session, from: commits, in: db) }
    if here?.forks.hasDrafts ?? false { throw KeepsakeError.partingWaits(session) }
    var batch = CommitBatch()
    if let here {
      let followers = here.plan.followers.map(\.session)
      batch.replacing = [session] + here.forks.forks.map(\.id) + followers
    }
    batch.taken = commits
    if let here {
      batch.taken[0] = commits[0].keeping(rowsOf: here.forks.own)
      if commits[0].isOfPurged, !here.forks.findAll(in: batch.taken[0]) { return false }
      batch.taken += here.forks.commits + here.parted
    }
    batch.hiding = session
    let own = try here?.forks.own ?? erasingOffer(of: session)
    let erased = try own.map { try SessionPast(of: [$0]).erasures(missingIn: commits) } ?? []
    try await rewrite(session, batch, erasing: erased) { change in
      let now = try Self.family(of: session, from: commits, in: change.db)
      guard (now == nil) == (here == nil) else { throw Changed() }
      if let now, let here, try !now.isSame(as: here) { throw Changed() }
    } noting: { change in
      try here?.forks.list(in: change.db)
      try here?.noteParted(in: change.db)
      // The erasures are listed as changes of the session now, and the next offer tells them. A session that was not here is removed
      // again if its fork does not come, and its list is removed with it. Therefore that session's old offer stays.
      if here != nil { _ = try change.db.offers.remove(of: session) }
      try change.db.hubSessions.put(
        .init(id: session, version: last.number, stamp: last.stamp, isRemoved: true))
    }
    return true
  }

  /// Reads a deleted session with its forks, and plans what becomes of the changes that the hub does not have; nil if the session is not here.
  private static func family(of session: UUID, from theirs: [SessionCommit], in db: Tables) throws
    -> PartingFamily?
  {
    if try db.sessions.standing(of: session.bytes) == nil { return nil }
    return try PartingFamily(of: session, from: theirs, in: db)
  }

  /// Returns the offer of a deleted session's last changes, among which are the links of what was erased in it; nil if there is none.
  private func erasingOffer(of session: UUID) throws -> SessionCommit? {
    // A store that shares sessions erases and deletes only after the hub has said yes, so it has no such offer.
    guard !isShared, let row = try handle.read({ try $0.offers.row(of: session) }) else {
      return nil
    }
    let commit = try SessionCommit(decoding: row.bytes)
    return commit.isOfPurged && commit.base != nil ? commit : nil
  }

  /// Offers the erasures that an offer tells once more, after all changes that the hub has.
  /// - Returns: Whether that was done. There is nothing to do if the hub has the offer, or has nothing of what was erased.
  private func offerErasures(of offer: SessionCommit?, after all: [Version]) async throws -> Bool {
    guard let offer, let last = all.last, let record = offer.records.first else { return false }
    let commits = all.map(\.commit).telling
    if commits.areErased { throw KeepsakeError.erasedMeanwhile(offer.session) }
    let ours = try SessionPast(of: [offer])
    let theirs = try SessionPast(of: commits)
    let rows = try ours.erasures(missingIn: commits)
    if rows.isEmpty { return false }
    let commit = SessionCommit(
      deleting: record, as: offer.session, from: theirs.end,
      by: ours.links.filter { $0.erases && rows.contains(ErasedElsewhere.Row($0)) })
    try await handle.write { change in
      let db = change.db
      _ = try db.offers.remove(of: offer.session)
      try db.hubSessions.put(.init(id: offer.session, version: last.number, stamp: last.stamp))
      try db.unsent.list(removal: offer.session)
      try db.offers.insert(OfferTable.Row(commit, after: last.stamp))
    }
    return true
  }

  /// Repeats the erasures of this store in a deleted session that a fork has brought back. The offer with the links of these erasures is removed,
  /// because the session's own changes tell them now.
  mutating func eraseOffered(in session: UUID) async throws {
    guard let offer = try erasingOffer(of: session) else { return }
    let commits = try await hub.allVersions(of: session).map(\.commit).telling
    let rows = try SessionPast(of: [offer]).erasures(missingIn: commits)
    if rows.isEmpty { return }
    let handle = handle
    let unused = try await handle.write { change in
      _ = try change.db.offers.remove(of: session)
      try change.db.unsent.list(removal: session)
      return try Self.erase(rows, of: session, handle: handle, in: change)
    }
    _ = try await handle.removeTraces(files: unused.digests, indexPieces: .max)
  }
}

extension SessionPast {
  /// Returns the rows that this past erased, and that commits of the same session still have.
  func erasures(missingIn commits: [SessionCommit]) throws -> [ErasedElsewhere.Row] {
    let theirs = try SessionPast(of: commits)
    if base.count > theirs.base.count {
      guard theirs.chain(after: base.count) == base else { return [] }
      let isKnown = theirs.chain(after: end.count) == end
      return isKnown ? [] : erasures(after: base.count)
    }
    return erasures(after: try PastComparison(ours: self, theirs: theirs).common)
  }
}
