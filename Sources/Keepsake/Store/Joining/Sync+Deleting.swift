#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Sessions that were deleted: here, at the hub, or on both sides.
///
/// A deleted session stays for its forks, with the rows that these need. The hub's last version of it has to say the same: all that the
/// forks need, so that a store which joins later can take them over, and nothing else, because it was deleted.
extension Sync {
  /// Returns the last version of a session if that says that the session was deleted.
  /// - Parameter part: Versions that were read just now, among which the last one may be.
  func deletion(of session: UUID, in part: HubVersions? = nil) async throws -> Version? {
    guard let last = try await lastVersion(of: session, in: part), last.commit.isDeletion else {
      return nil
    }
    return last
  }

  /// Returns the last version of a session; nil if the hub has none.
  private func lastVersion(of session: UUID, in part: HubVersions? = nil) async throws -> Version? {
    if let part {
      if part.newest == 0 { return nil }
      if let last = part.versions.last, !part.hasMore { return try Version(last, of: session) }
    }
    let newest = try await hub.versions(of: session, after: .max, bytes: 0).newest
    guard newest > 0 else { return nil }
    return try await hub.versions(of: session, after: newest - 1, bytes: 0).versions.last.map {
      try Version($0, of: session)
    }
  }

  /// Notes that a session was deleted at the hub, of which nothing is here.
  ///
  /// An offer of the session goes, because nothing is left to be told. In a store that shares, a task that keeps in step may offer a deletion
  /// which another task has told the hub already, and has not noted yet.
  func note(_ last: Version, of session: UUID) async throws {
    if try handle.read({ try $0.offers.has(session) }) {
      try await erasePast(of: last.commit, at: last.stamp, as: last.number)
    }
    try await handle.write { change in
      let db = change.db
      _ = try db.offers.remove(of: session)
      var row = try db.hubSessions.row(session) ?? .init(id: session)
      (row.version, row.stamp, row.fault) = (last.number, last.stamp, nil)
      try db.hubSessions.put(row)
    }
  }

  /// Leaves a session deleted that was deleted here, whatever was written to it meanwhile, and has the hub told so.
  mutating func stayDeleted(_ session: UUID, _ standing: Standing) async throws {
    let last = try await lastVersion(of: session)
    if let last, try await bringTogether(session, standing, at: last) { return }
    // The last changes of a deleted session reach the hub as a commit of their own. The deletion is a later commit, which stands
    // alone.
    if let last, last.commit.isDeletion, last.commit.standsAlone {
      return try await accept(last, of: session, standing)
    }
    try await handle.write { change in
      let db = change.db
      let offer = try db.offers.remove(of: session)
      try db.hubSessions.put(
        .init(id: session, version: last?.number ?? 0, stamp: last?.stamp))
      // Nothing is to be told of a session that the hub has never had.
      last == nil
        ? try db.unsent.forget(removal: session) : try db.unsent.list(removal: session)
      // Forks may need what the offer says of it.
      guard let number = standing.number, let offer, let last, last.stamp != offer.stamp,
        let base = try SessionCommit(decoding: offer.bytes).base
      else { return }
      try db.unsent.list(number, since: base)
    }
  }

  /// Takes over the version by which the hub says that a session was deleted, which was deleted here, too.
  mutating func accept(
    _ version: Version, of session: UUID, _ standing: Standing
  ) async throws {
    try await erasePast(of: version.commit, at: version.stamp, as: version.number)
    let isTakenOver =
      standing.seen.version == version.number && standing.seen.stamp == version.stamp
    try await handle.write { change in
      let db = change.db
      let offer = try db.offers.remove(of: session)
      try db.unsent.forget(removal: session)
      // If this store offered the version, it may have deleted forks since then that needed some of the session.
      if offer?.stamp == version.stamp, !version.commit.isRemoval {
        try db.unsent.list(removal: session)
      }
      // If the store has this version already, its listed changes are newer: a fork has erased something. The hub has not heard of them.
      if let number = standing.number, !isTakenOver { try db.unsent.forget(number) }
      var row = try db.hubSessions.row(session) ?? .init(id: session)
      row.isRemoved = standing.number != nil
      try db.hubSessions.put(row)
    }
    if standing.number == nil {
      try await note(version, of: session)
    } else if !isTakenOver {
      try await apply(version, after: standing.seen.version)
    }
    try await put(session) { $0.fault = nil }
  }

  /// Deletes here what was deleted at the hub, when all else has come.
  mutating func removeDeleted() async throws {
    for session in try handle.read({ try $0.hubSessions.removed() }) {
      let (isShown, isListed) = try handle.read { db in
        let known = try db.sessions.standing(of: session.bytes)
        return (
          known?.state == SessionPresence.shown.rawValue, try db.unsent.hasRemoval(of: session)
        )
      }
      let handle = handle
      let erased = Locked<UnusedArtifacts?>(nil)
      try await store.apply(
        .removal(of: session), artifacts: HubArtifacts(hub: hub, present: [])
      ) { change in
        let db = change.db
        try db.hubSessions.finishRemoval(of: session)
        let known = try db.sessions.standing(of: session.bytes)
        // The forks here may need more of the session than the hub has, or less.
        if isListed || known != nil { try db.unsent.list(removal: session) }
        guard let known else { return }
        // Another store may have erased an entry or an attachment before it deleted the session. The forks in this store still show that row.
        let rows = try db.commits.erasedLater(of: known.number)
        if rows.isEmpty { return }
        let unused = try Self.erase(rows, of: session, handle: handle, in: change)
        erased.withLock { $0 = unused }
      }
      if let unused = erased.withLock({ $0 }) {
        _ = try await handle.removeTraces(files: unused.digests, indexPieces: .max)
      }
      if isShown { report.removed.insert(session) }
    }
  }
}

// MARK: - What forks need

extension Sync {
  /// Takes over what the hub has of a session that was deleted here, because a fork that comes from the hub needs more of it than is
  /// here. The session stays hidden, and what no fork needs of it is removed again when all else has come.
  ///
  /// - Parameters:
  ///   - session: The session that the fork was made from.
  ///   - fork: The commit that makes the fork.
  /// - Returns: Whether that was done. There is nothing to do where the hub knows that the session was deleted, or enough of it is here.
  mutating func takeOverDeleted(_ session: UUID, for fork: SessionCommit) async throws -> Bool {
    let isNeeded = try handle.read { db in
      try isDeletedHere(session, in: db) && !fork.hasOrigin(session, in: db)
    }
    guard isNeeded else { return false }
    let all = try await hub.allVersions(of: session)
    guard let last = all.last, !last.commit.isDeletion else { return false }
    try await takeOverHidden(session, all)
    return true
  }

  /// Looks at the deleted sessions of which the hub may have to be told again. One that the hub has as the forks here need it is taken
  /// off the list.
  ///
  /// - Returns: The sessions of which the hub must not be told yet. The hub has more of these than the forks here need, and forks that are
  ///   not here may need that.
  mutating func settleTellings() async throws -> Set<UUID> {
    var held: Set<UUID> = []
    for session in try handle.read({ try $0.unsent.tellingsAgain() }) {
      guard let last = try await deletion(of: session) else { continue }
      if isShared { try await takeOverForks(of: session) }
      do { try await replaceApart(session, by: last) } catch let error where !error.isOfMore {
        // The session changed in this store meanwhile, or an answer streams into a fork. The next sync replaces the session.
        held.insert(session)
        continue
      }
      switch try telling(last.commit) {
      case .lacks: continue
      case .same: try await handle.write { try $0.db.unsent.forget(removal: session) }
      case .hasMore:
        let isInStep = try handle.read { try $0.hubSessions.faulty().isEmpty }
        if !isInStep || !report.failed.isEmpty { held.insert(session) }
      }
    }
    return held
  }

  /// Compares what the hub says of a deleted session with what the forks here need.
  private func telling(_ told: SessionCommit) throws -> SessionCommit.Telling {
    try told.telling(beside: handle.read { db in try Self.deletion(of: told.session, in: db) })
  }

  /// Replaces a deleted session here by the hub's version of it, if the pasts of the two part, and repeats the erasures of this store. If forks
  /// here share entries that the hub's version lacks and this store can't add, the session stays as it is, and the hub is told of it.
  ///
  /// Two stores may have changed the session before each of them heard of its deletion. All stores have to have the same past of the session,
  /// because a fork may have been made of any change in that past, and may erase more of the session later.
  private mutating func replaceApart(_ session: UUID, by last: Version) async throws {
    guard last.commit.isOfPurged, let here = try whole(session), here.isOfPurged,
      try last.commit.erasures(owedBy: here) != nil
    else { return }
    if try await takeOverHidden(session, hub.allVersions(of: session)) { try await removeDeleted() }
  }

  /// Takes over the forks of a session, and nothing of the session itself; of a hub without lists all other sessions.
  mutating func takeOverForks(of session: UUID) async throws {
    if let heads = try await hub.sessions(having: .fork(of: session)) {
      try await receive(heads.filter { try !handle.hasTakenOver($0) }.map(\.session))
    } else {
      try await receive(sessionsThatDiffer().filter { $0 != session })
    }
    try await removeDeleted()
  }
}

extension StoreHandle {
  /// Tells whether the store has taken over the newest version of a session at the hub.
  func hasTakenOver(_ head: HubHead) throws -> Bool {
    let seen = try read { try $0.hubSessions.row(head.session) }
    return seen?.version == head.version && seen?.stamp == head.stamp && seen?.fault == nil
  }
}

extension SessionCommit {
  /// The result of comparing what the hub says of a deleted session with what the forks here need.
  enum Telling { case lacks, same, hasMore }

  /// Compares the commit of a deletion with one that says what forks here need.
  fileprivate func telling(beside needed: SessionCommit) throws -> Telling {
    if isRemoval, !needed.isRemoval { return .lacks }
    if try needed.keepsMore(than: self) || needed.keepsNewer(than: self)
      || needed.goesOn(from: self)
    {
      return .lacks
    }
    let isSame =
      isRemoval == needed.isRemoval && kept == needed.kept
      && Set(records.flatMap(\.artifacts)).isSubset(of: needed.records.flatMap(\.artifacts))
    return isSame ? .same : .hasMore
  }

  /// Tells whether the commit of a deletion keeps something for forks that another one does not keep.
  func keepsMore(than other: SessionCommit) -> Bool { !kept.isSubset(of: other.kept) }

  /// Tells whether the commit of a deletion keeps something as it was after a later change than another one does.
  private func keepsNewer(than other: SessionCommit) -> Bool {
    let others = other.keptChanges
    return keptChanges.contains { row, change in others[row].map { $0 < change } ?? false }
  }

  /// The entries, attachments and invocations that the commit of a deletion keeps for forks.
  private var kept: Set<Gone> { Set(keptChanges.keys) }

  /// The entries, attachments and invocations that the commit of a deletion keeps for forks. Each has the number of the change that made its
  /// row as the commit has it.
  private var keptChanges: [Gone: Int] {
    var kept: [Gone: Int] = [:]
    for record in records {
      let place: Int? =
        switch record.kind {
        case .entry: record.int("position")
        case .attachment, .invocation: record.int("chain.recorded")
        default: nil
        }
      guard let place else { continue }
      kept[Gone(kind: record.kind, first: Int64(place), second: 0)] = record.link?.change ?? 0
    }
    return kept
  }

  /// Tells whether the session goes on from another store's state of it: that one's last change is here, and newer changes, too.
  func goesOn(from other: SessionCommit) throws -> Bool {
    guard let end, let before = other.end, end.count > before.count else { return false }
    return try SessionPast(of: [self]).chain(after: before.count) == before
  }

  /// Tells whether all that the fork which this commit makes needs of its origin is here.
  fileprivate func hasOrigin(_ origin: UUID, in db: Tables) throws -> Bool {
    guard let record = records.first, let change = record.int("fork.change"),
      let position = record.int("fork.position"),
      let known = try db.sessions.standing(of: origin.bytes),
      let standing = try db.unsent.standing(of: known.number), standing.end.count >= change
    else { return false }
    return try isOfPurged || Lineage(of: known.number, in: db).isWhole(before: position, in: db)
  }
}
