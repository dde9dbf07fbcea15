#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Writing versions that were read from the hub to the folder.
extension Sync {
  /// Takes over small changes that follow each other, and the beginning of a new session, if that is the first of them: in one
  /// transaction, or, where that can't be, one by one up to the one that is at fault.
  mutating func apply(_ changes: [Version], after before: inout Int64) async throws {
    guard let last = changes.last else { return }
    defer { before = last.number }
    let (session, start) = (last.commit.session, before)
    if changes.count > 1 {
      if changes[0].commit.isWhole { try await requireParent(of: changes[0].commit) }
      do {
        let artifacts = try await artifacts(of: changes.filter { $0.artifacts > 0 }.map(\.commit))
        try await store.apply(
          CommitBatch(taken: changes.map(\.commit).together), artifacts: artifacts
        ) {
          try Self.requireUnchanged(session, since: start, in: $0.db)
        } noting: { change in
          var row = try change.db.hubSessions.row(session) ?? .init(id: session)
          (row.version, row.stamp) = (last.number, last.stamp)
          try change.db.hubSessions.put(row)
        }
        return received(session, artifacts)
      } catch is Changed { throw Changed() } catch {
        try Task.checkCancellation()
        // A hub that is out of reach is not asked again, because each attempt takes long.
        if case .unreachable? = (error as? KeepsakeError)?.cause as? HubFault { throw error }
      }
    }
    for change in changes {
      try await apply(change, after: before)
      before = change.number
    }
  }

  /// Takes over one version, unless another program did so meanwhile.
  mutating func apply(_ version: Version, after before: Int64) async throws {
    let session = version.commit.session
    let noting: @Sendable (Change) throws -> Void = { change in
      var row = try change.db.hubSessions.row(session) ?? .init(id: session)
      try Self.require(before, of: session, in: change.db)
      (row.version, row.stamp) = (version.number, version.stamp)
      // It is deleted here when all else has come, because forks may need some of it.
      if version.commit.isRemoval || version.commit.isWhole && version.commit.isOfPurged {
        row.isRemoved = true
      }
      try change.db.hubSessions.put(row)
    }
    var commit = version.commit
    var isShown = false
    if commit.isRemoval, let changes = try await changes(before: version) {
      (commit, isShown) = changes
    }
    if try commit.isRemoval || isNeededByNobody(commit) {
      do { try await handle.write(noting) } catch is Overtaken {}
      return
    }
    if commit.isWhole {
      if let here = try whole(session) {
        isShown = !here.isOfPurged
        if commit.isOfPurged, try here.goesOn(from: commit) {
          // Whoever deleted the session did not know its last changes, which are here.
          do { try await handle.write(noting) } catch is Overtaken {}
          return
        }
        if try await replaceDeleted(here, by: commit, noting: noting) { return }
        commit = commit.change(from: here)
      } else {
        try await requireParent(of: commit)
      }
    }
    let artifacts = try await artifacts(of: [commit])
    do {
      try await store.apply(commit, artifacts: artifacts) { change in
        try Self.requireUnchanged(session, since: before, in: change.db)
      } noting: { change in
        try noting(change)
      }
    } catch is Overtaken {
      return
    }
    if isShown, commit.isOfPurged { report.removed.insert(session) }
    received(session, artifacts)
  }

  /// Replaces a session by the version that says that it was deleted, if further changes can't lead to that version.
  ///
  /// Two stores may have changed the session before one of them deleted it, or forks in two stores may have erased something of it afterwards.
  /// The version may also keep rows that this store has removed. If the version lacks entries that forks in this store share and this store
  /// can't add, the session stays as this store has it, and the next push tells the hub.
  /// - Returns: Whether nothing is left to be done with the version, because this task or another one replaced or kept the session.
  private mutating func replaceDeleted(
    _ here: SessionCommit, by commit: SessionCommit,
    noting note: @escaping @Sendable (Change) throws -> Void
  ) async throws -> Bool {
    guard commit.isOfPurged else { return false }
    let (session, isShown) = (commit.session, !here.isOfPurged)
    let owed = try commit.erasures(owedBy: here)
    guard owed != nil || !isShown && commit.keepsMore(than: here) else { return false }
    if owed != nil, !isShown {
      if try await !takeOverHidden(session, hub.allVersions(of: session)) {
        try await keep(here, beside: commit, noting: note)
      }
      return true
    }
    do {
      try await grow(session, as: commit, erasing: owed ?? []) { change in
        try note(change)
        if isShown { change.publish(.deleted(session: session)) }
      }
    } catch is Overtaken { return true }
    if isShown { report.removed.insert(session) }
    return true
  }

  /// Keeps a deleted session as this store has it, repeats the erasures that the hub's version of the session has, and lists the session to be
  /// told to the hub again.
  private func keep(
    _ here: SessionCommit, beside commit: SessionCommit,
    noting note: @escaping @Sendable (Change) throws -> Void
  ) async throws {
    let session = here.session
    let rows = try here.erasures(owedBy: commit) ?? []
    let handle = handle
    do {
      let unused = try await handle.write { change in
        try note(change)
        try change.db.unsent.list(removal: session)
        return try Self.erase(rows, of: session, handle: handle, in: change)
      }
      _ = try await handle.removeTraces(files: unused.digests, indexPieces: .max)
    } catch is Overtaken {}
  }

  /// Returns the last changes of a session that was deleted at the hub, as far as they are not here, and whether the session is shown here;
  /// nil if there are none, or nobody here needs them.
  ///
  /// The hub has nothing but the links of these changes. The links tell what was erased in the session, which a fork in this store may share.
  private func changes(before removal: Version) async throws -> (SessionCommit, isShown: Bool)? {
    let session = removal.commit.session
    let here = try handle.read { db -> SessionCommit? in
      guard let known = try db.sessions.standing(of: session.bytes),
        try db.sessions.hasForks(known.number)
      else { return nil }
      return try WholeCommits(in: db).commit(of: known.number)
    }
    guard let here else { return nil }
    do {
      let all = try await hub.allVersions(of: session)
      let past = all.prefix { $0.number < removal.number }.map(\.commit).telling
      return try here.lastChanges(in: SessionPast(of: past)).map { ($0, !here.isOfPurged) }
    } catch let error where error.isOfDamagedVersions {
      // Damaged versions keep nobody from deleting the session. If the hub has lost a version, the links of the next one do not follow this
      // store's last change.
      return nil
    }
  }

  /// Throws if a session changed here, or if this store has another version of it than when the next versions were read.
  ///
  /// The check comes before the writing. A whole session that is older than what is here looks like a damaged version when it is written.
  /// And a title or a turn is no part of the chain, which therefore does not tell that it changed.
  private static func requireUnchanged(
    _ session: UUID, since version: Int64, in db: Tables
  ) throws {
    if try isChanged(session, in: db) { throw Changed() }
    try require(version, of: session, in: db)
  }

  /// Throws if the last version of a session that this store took over is another one.
  private static func require(_ version: Int64, of session: UUID, in db: Tables) throws {
    let seen = try db.hubSessions.row(session)?.version ?? 0
    if seen > version { throw Overtaken() }
    // Another task has begun to take over the session anew, and has not got to this version yet.
    if seen < version { throw Changed() }
  }

  /// Tells whether a session that is shown here has changes that the hub has not got, as far as is known.
  private static func isChanged(_ session: UUID, in db: Tables) throws -> Bool {
    guard let known = try db.sessions.standing(of: session.bytes),
      known.state == SessionPresence.shown.rawValue
    else { return false }
    return try db.unsent.has(known.number) || db.offers.has(session)
  }

  /// Reads the whole session as it is here; nil if it is not here.
  func whole(_ session: UUID) throws -> SessionCommit? {
    try handle.read { db in
      guard let known = try db.sessions.standing(of: session.bytes) else { return nil }
      return try WholeCommits(in: db).commit(of: known.number)
    }
  }

  /// Counts what came.
  mutating func received(_ session: UUID, _ artifacts: HubArtifacts) {
    report.received.insert(session)
    let (count, bytes) = artifacts.fetched.withLock { $0 }
    report.receivedArtifacts += count
    report.receivedBytes += bytes
  }

  /// Tells whether a commit changes a deleted session of which nothing is here.
  private func isNeededByNobody(_ commit: SessionCommit) throws -> Bool {
    guard commit.isOfPurged, commit.base != nil else { return false }
    return try handle.read { try $0.sessions.standing(of: commit.session.bytes) } == nil
  }

  /// Another program took the version over meanwhile.
  private struct Overtaken: Error {}

  /// Returns the artifacts that commits name and that have to be fetched.
  func artifacts(of commits: [SessionCommit]) async throws -> HubArtifacts {
    let named = Set(commits.flatMap(\.records).flatMap(\.artifacts)).sorted()
    let wanted = try named.filter { id in
      if case .right = try handle.artifacts.holding(id.digest) { return false }
      return true
    }
    let missing = wanted.isEmpty ? [] : try await hub.missing(of: wanted)
    return HubArtifacts(hub: hub, present: Set(wanted).subtracting(missing))
  }
}
