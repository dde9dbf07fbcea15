#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// A session that changed here and at the hub, or of which the hub says something else than it did.
extension Sync {
  /// Brings together what the hub has of a session and what is here.
  ///
  /// The links of the two chains are compared. What both have is the same, whichever way it came. Where only one side has more
  /// links, the other one takes them over. Titles, tags, metadata and turns are merged field by field. Where both have links of
  /// their own, what is ours becomes a session of its own, and the original goes on as the hub has it.
  ///
  /// Another program that shares the folder may take over a version of the session while this store reads the hub. The versions that were read
  /// are older than the folder then, and can't tell which changes the hub lacks. So each transaction of the comparison first checks that the
  /// folder still has the version that it had before the hub was read.
  mutating func reconcile(_ session: UUID, _ standing: Standing) async throws {
    let seen = standing.seen
    let all = try await hub.allVersions(of: session)
    // The answer to an offer was lost, and the hub has it.
    if let offer = try handle.read({ try $0.offers.row(of: session) }),
      let taken = all.first(where: { $0.stamp == offer.stamp })
    {
      try await erasePast(of: taken.commit, at: taken.stamp, as: taken.number)
      try await self.taken(taken.stamp, of: session, as: taken.number)
      return try await takeOver(session)
    }
    guard let number = standing.number else {
      // Nothing is here: all of it is taken over again.
      try await seeNothing(after: seen)
      return try await takeOver(session, after: .init(id: session))
    }
    let known = all.filter { $0.number <= seen.version }
    let isRewound = seen.version > 0 && known.last?.stamp != seen.stamp
    let new = isRewound ? all : Array(all.dropFirst(known.count))
    guard let last = new.last else {
      // A hub without any version of a session has lost the session. The next push offers the session as a new one.
      guard let last = all.last else { return try await seeNothing(after: seen) }
      return try await offerAgain(number, after: seen, at: last)
    }
    if try !isShown(number) { return try await follow(to: last, after: seen) }
    let theirs = all.map(\.commit).telling
    if theirs.areErased { return try await offerWhole(number, all, after: seen) }
    let plan = try handle.read { db in try PartingPlan(of: session, from: theirs, in: db) }
    switch plan.comparison.outcome {
    case .same, .behind: try await catchUp(number, known: known, new: new, theirs, after: seen)
    case .ahead: try await goOn(number, to: last, known: known, theirs, after: seen)
    case .parted: try await replace(theirs, to: last, after: seen)
    case .moved: try await offerWhole(number, all, after: seen)
    case .deleted:
      try await forgetChanges(number, after: seen)
      try await apply(last, after: seen.version)
    }
  }

  /// Throws if the folder has no longer the version of a session that it had before the hub was read.
  private static func require(_ seen: HubSessionTable.Row, in db: Tables) throws {
    let now = try db.hubSessions.row(seen.id) ?? .init(id: seen.id)
    guard now.hasVersion(of: seen) else { throw Changed() }
  }

  /// Offers a session as it is here, in the place of what the hub has, which nobody can read.
  ///
  /// The hub may have lost, as in a failover, the version that took the place of older ones, or what a fork was forked from. If
  /// another store erased something while this one read, that version came since, and the session is read again.
  private func offerWhole(
    _ number: Int64, _ all: [Version], after seen: HubSessionTable.Row
  ) async throws {
    let session = seen.id
    let again = try await hub.allVersions(of: session)
    guard let last = again.last, again.map(\.stamp) == all.map(\.stamp) else {
      throw KeepsakeError.erasedMeanwhile(session)
    }
    let theirs = try SessionPast(of: again.map(\.commit).telling)
    try await handle.write { change in
      let db = change.db
      try Self.require(seen, in: db)
      let ours = try WholeCommits(in: db).commits(of: [session])
      let comparison = try PastComparison(
        ours: SessionRecords(of: session, in: ours).past, theirs: theirs)
      // This store lacks changes that the hub had. Another store wrote them, and has to offer the session.
      guard !comparison.isDeleted, comparison.theirs == 0 else {
        throw KeepsakeError.erasedMeanwhile(session)
      }
      _ = try db.offers.remove(of: session)
      try db.unsent.list(number, since: nil)
      try db.hubSessions.put(.init(id: session, version: last.number, stamp: last.stamp))
    }
  }

  private func isShown(_ number: Int64) throws -> Bool {
    try handle.read { try $0.unsent.standing(of: number)?.presence == .shown }
  }

  /// Notes that the hub is not known to have a session.
  private func seeNothing(after seen: HubSessionTable.Row) async throws {
    try await handle.write { change in
      try Self.require(seen, in: change.db)
      _ = try change.db.offers.remove(of: seen.id)
      try change.db.hubSessions.put(.init(id: seen.id))
    }
  }

  /// Forgets what is offered of a session that the hub has deleted, and what was still to be offered.
  private func forgetChanges(_ number: Int64, after seen: HubSessionTable.Row) async throws {
    try await handle.write { change in
      try Self.require(seen, in: change.db)
      _ = try change.db.offers.remove(of: seen.id)
      try change.db.unsent.forget(number)
    }
  }

  /// Deletes a session, as the hub did, when all else has come. What is offered of it is not needed any more.
  ///
  /// A session that is here for its forks is also written as the hub's version has it, because a fork in another store may have erased an
  /// entry of the session.
  private mutating func follow(to last: Version, after seen: HubSessionTable.Row) async throws {
    let saysAll = last.commit.isDeletion && last.commit.standsAlone
    try await handle.write { change in
      try Self.require(seen, in: change.db)
      _ = try change.db.offers.remove(of: seen.id)
      try change.db.unsent.forget(removal: seen.id)
      if saysAll { return }
      try change.db.hubSessions.put(
        .init(id: seen.id, version: last.number, stamp: last.stamp, isRemoved: true))
    }
    if saysAll { try await apply(last, after: seen.version) }
  }
}

// MARK: - Pasts that don't part

extension Sync {
  /// Takes over what the hub has more. Titles, tags, metadata and turns are merged.
  private mutating func catchUp(
    _ number: Int64, known: [Version], new: [Version], _ commits: [SessionCommit],
    after seen: HubSessionTable.Row
  ) async throws {
    guard let last = new.last, let end = last.commit.end else { return }
    let session = seen.id
    let ours = try handle.read { db in try Ours(number, after: seen, in: db) }
    let theirs = try SessionFields(of: commits)
    let merge = try FieldMerge(
      base: Self.fields(of: known), ours: ours.fields, theirs: theirs)
    let missing = commits.suffix(new.count).filter { $0.end?.count ?? 0 >= ours.end.count }
    let made = [merge.commit(to: theirs, at: end)].compactMap(\.self)
    var batch = CommitBatch()
    batch.taken = missing
    batch.made = made
    if let first = missing.first, first.base == nil {
      guard let here = try whole(session) else { throw Changed() }
      batch.taken[0] = first.change(from: here)
    }
    let handle = handle
    try await write(batch, session) { change in
      try ours.requireSame(in: change.db)
      try change.db.unsent.forget(number)
    } noting: { change in
      let repetitions = ForkRepetitions(handle: handle, db: change.db)
      if try repetitions.remain(in: commits, of: number) {
        try change.db.unsent.list(number, since: nil)
      }
      try change.db.hubSessions.put(.init(id: session, version: last.number, stamp: last.stamp))
    }
  }

  /// Goes on from what the hub has, of which all links are here. Titles, tags, metadata and turns are merged.
  private mutating func goOn(
    _ number: Int64, to last: Version, known: [Version], _ commits: [SessionCommit],
    after seen: HubSessionTable.Row
  ) async throws {
    guard let common = last.commit.end else { return }
    let session = seen.id
    let ours = try handle.read { db in try Ours(number, after: seen, in: db) }
    let merge = try FieldMerge(
      base: Self.fields(of: known), ours: ours.fields, theirs: SessionFields(of: commits))
    var batch = CommitBatch()
    batch.made = [merge.commit(to: ours.fields, at: ours.end)].compactMap(\.self)
    let handle = handle
    try await write(batch, session) { change in
      try ours.requireSame(in: change.db)
    } noting: { change in
      let repetitions = ForkRepetitions(handle: handle, db: change.db)
      try change.db.unsent.list(
        number, since: repetitions.remain(in: commits, of: number) ? nil : common)
      try change.db.hubSessions.put(.init(id: session, version: last.number, stamp: last.stamp))
    }
  }

  /// The values that a session had at the hub when it was seen last; nil if that is not known, or not any more.
  private static func fields(of known: [Version]) throws -> SessionFields? {
    let commits = known.map(\.commit).telling
    return commits.isEmpty || commits.areErased ? nil : try SessionFields(of: commits)
  }

  /// What is here of a session, so that a later transaction can tell whether it is so still.
  private struct Ours: Sendable {
    let number: Int64
    let end: Chain
    let fields: SessionFields
    /// The version of the session that the folder had before the hub was read.
    private let seen: HubSessionTable.Row

    init(_ number: Int64, after seen: HubSessionTable.Row, in db: Tables) throws {
      try Sync.require(seen, in: db)
      guard let standing = try db.unsent.standing(of: number), standing.id == seen.id else {
        throw Changed()
      }
      self.number = number
      self.seen = seen
      end = standing.end
      fields = try SessionFields(of: seen.id, in: db)
    }

    func requireSame(in db: Tables) throws {
      let now = try Ours(number, after: seen, in: db)
      guard now.end == end, now.fields.isSame(as: fields) else { throw Changed() }
    }
  }

  /// The session changed here since it was read. It is read again.
  struct Changed: Error {}

  /// Writes a batch in one transaction, with which the offer of a session goes.
  private mutating func write(
    _ batch: CommitBatch, _ session: UUID,
    checking check: @escaping @Sendable (Change) throws -> Void,
    noting note: @escaping @Sendable (Change) throws -> Void
  ) async throws {
    let artifacts = try await artifacts(of: batch.taken + batch.made)
    try await store.apply(batch, artifacts: artifacts, checking: check) { change in
      _ = try change.db.offers.remove(of: session)
      try note(change)
    }
    if !batch.taken.isEmpty { received(session, artifacts) }
  }

  /// Makes the offer of a session anew, because its artifacts are not what they were, or because the hub has taken other changes of this
  /// store since the offer was written down.
  /// - Parameters:
  ///   - number: The number of the session.
  ///   - seen: The version of the session in the folder.
  ///   - last: The same version, as the hub has it.
  private func offerAgain(
    _ number: Int64, after seen: HubSessionTable.Row, at last: Version
  ) async throws {
    try await handle.write { change in
      let db = change.db
      try Self.require(seen, in: db)
      guard let offer = try db.offers.remove(of: seen.id) else { return }
      let commit = try SessionCommit(decoding: offer.bytes)
      // Deletions have a list of their own, from which they are offered.
      if commit.isDeletion { return }
      try db.unsent.list(number, since: commit.base == nil ? nil : last.commit.end)
    }
  }
}

// MARK: - Parting

extension Sync {
  /// Makes what is ours a session of its own, where there is something, and the original what it is at the hub, in one
  /// transaction.
  ///
  /// Forks of the original are written anew, because their rows stand beside those of the original.
  private mutating func replace(
    _ theirs: [SessionCommit], to last: Version, after seen: HubSessionTable.Row
  ) async throws {
    let session = seen.id
    let family = try handle.read { db in try PartingFamily(of: session, from: theirs, in: db) }
    if family.forks.hasDrafts { throw KeepsakeError.partingWaits(session) }
    let isDeleted = family.plan.comparison.isDeleted
    // The hub's rows of a deleted session take the place of this store's, for forks that are still to come. This store's rows stay if forks in
    // this store need them and the hub has nothing more of the session, or lacks entries that this store can't add.
    let isForked = !family.forks.forks.isEmpty
    let whole =
      isDeleted
      ? theirs.prefix(1).map { $0.keeping(rowsOf: family.forks.own) } + theirs.dropFirst() : theirs
    let comes =
      !isDeleted
      || whole.last?.isOfPurged ?? false
        && (!isForked
          || family.plan.comparison.theirs > 0 && family.forks.findAll(in: whole[0]))
    var batch = CommitBatch()
    batch.replacing = family.plan.followers.map(\.session)
    let parted = family.parted
    batch.taken = parted
    if comes {
      batch.replacing = [session] + family.forks.forks.map(\.id) + batch.replacing
      batch.taken = whole + family.forks.commits + parted
      batch.parting = isDeleted || family.plan.parted == nil ? nil : session
    }
    // The hub's rows lack the erasures of this store, and this store's rows lack the erasures that the hub has. Both are made again.
    let owed =
      comes
      ? try SessionPast(of: [family.forks.own]).erasures(missingIn: theirs)
      : isForked ? family.plan.owedErasures : []
    try await rewrite(session, batch, erasing: owed) { change in
      try Self.require(seen, in: change.db)
      let now = try PartingFamily(of: session, from: theirs, in: change.db)
      guard try now.isSame(as: family) else { throw Changed() }
    } noting: { change in
      let db = change.db
      _ = try db.offers.remove(of: session)
      try db.hubSessions.put(
        .init(
          id: session, version: last.number, stamp: last.stamp,
          isRemoved: isDeleted))
      try family.noteParted(in: db)
      if isDeleted {
        try db.unsent.forget(family.number)
        if comes { change.publish(.deleted(session: session)) }
      }
      if comes { try family.forks.list(in: db) }
    }
    if isDeleted, comes { report.removed.insert(session) }
    if let parted = family.plan.parted, !family.hasParted {
      report.parted.append(.init(session: session, continuation: parted.session))
    }
  }

  /// Writes a batch in which a session comes again, and erases rows of the session again, in one transaction.
  mutating func rewrite(
    _ session: UUID, _ batch: CommitBatch, erasing rows: [ErasedElsewhere.Row],
    checking check: @escaping @Sendable (Change) throws -> Void,
    noting note: @escaping @Sendable (Change) throws -> Void
  ) async throws {
    let artifacts = try await artifacts(of: batch.taken)
    let handle = handle
    let erased = Locked<[SHA256Digest]>([])
    try await store.apply(batch, artifacts: artifacts, checking: check) { change in
      try note(change)
      let unused = try Self.erase(rows, of: session, handle: handle, in: change)
      erased.withLock { $0 = unused.digests }
    }
    if !rows.isEmpty {
      _ = try await handle.removeTraces(files: erased.withLock { $0 }, indexPieces: .max)
    }
    received(session, artifacts)
  }

  /// Erases rows of a session again. The session may also be one that was deleted and is there for its forks.
  static func erase(
    _ rows: [ErasedElsewhere.Row], of session: UUID, handle: StoreHandle, in change: Change
  ) throws -> UnusedArtifacts {
    var unused = UnusedArtifacts()
    guard !rows.isEmpty, let known = try change.db.sessions.standing(of: session.bytes),
      [SessionPresence.shown.rawValue, SessionPresence.purged.rawValue].contains(known.state)
    else { return unused }
    let lineage = try Lineage(of: known.number, in: change.db)
    for row in rows {
      switch row {
      case .entry(let position):
        // No fork in this store needs an entry that is not there.
        let id = lineage.id(of: position)
        guard try change.db.entries.exists(id) else { continue }
        var erasure = try Erasure(of: id, handle: handle, in: change)
        try erasure.eraseEntry()
        unused.append(try erasure.finish().unused)
      case .recorded(let recorded):
        // An erased run has no attachment here. Erasing the entry of its call erases the run, too.
        guard
          let attachment = try change.db.attachments.row(recordedBy: recorded, in: known.number)
        else { continue }
        var erasure = try Erasure(in: known.number, handle: handle, in: change)
        try erasure.erase(attachment)
        unused.append(try erasure.finish().unused)
      }
    }
    return unused
  }
}

extension KeepsakeError {
  /// Something of a session was erased at the hub while it was read. It is read again.
  static func erasedMeanwhile(_ session: UUID) -> KeepsakeError {
    KeepsakeError(
      .conflict,
      "Something in session \(session) is being erased at the hub by another store. Sync again.",
      object: session.uuidString)
  }

  /// The error for a session that changed in the folder during each attempt to compare it with the hub.
  static func changing(_ session: UUID) -> KeepsakeError {
    KeepsakeError(
      .conflict,
      "Session \(session) changed here all the time while it was read at the hub. Sync again.",
      object: session.uuidString)
  }

  static func partingWaits(_ session: UUID) -> KeepsakeError {
    KeepsakeError(
      .conflict,
      "Session \(session) went on here and elsewhere, and an answer streams into it or into a fork of it now. Both continuations are kept apart once that has ended, with the next sync.",
      object: session.uuidString)
  }
}
