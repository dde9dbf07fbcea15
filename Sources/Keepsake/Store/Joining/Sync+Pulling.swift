#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Taking over what others told the hub.
extension Sync {
  /// About how many bytes of commits are read at a time.
  private static let partBytes = 8 << 20

  /// Takes over all that changed since a mark, and returns the mark to go on from.
  mutating func pull(after mark: HubMark?) async throws -> HubMark {
    let changes = try await hub.changes(after: mark)
    var sessions: Set<UUID> = []
    if mark == nil || changes.mayHaveMissed {
      sessions = try await sessionsThatDiffer()
    } else {
      let known = try handle.read { try $0.hubSessions.versions() }
      sessions.formUnion(changes.sessions.filter { $0.value > known[$0.key] ?? 0 }.keys)
    }
    // What was left aside may fit by now.
    sessions.formUnion(try handle.read { try $0.hubSessions.faulty().map(\.id) })
    for session in sessions.sorted(by: { $0.uuidString < $1.uuidString }) {
      try await receive(session, removing: true)
    }
    try await removeDeleted()
    return changes.mark
  }

  /// Compares the hub's directory with what the store last saw.
  private mutating func sessionsThatDiffer() async throws -> Set<UUID> {
    let directory = try await hub.directory()
    for (session, error) in directory.failures { failed(session, error) }
    return try handle.read { db in
      var sessions: Set<UUID> = []
      for head in directory.heads {
        let known = try db.hubSessions.row(head.session)
        if known?.version != head.version || known?.stamp != head.stamp {
          sessions.insert(head.session)
        }
      }
      return sessions
    }
  }

  /// Takes over the versions of a session that are new here. An error of one session leaves it aside, and the others go on.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - mayFail: Whether an error of the session is noted, and does not end the run.
  mutating func receive(_ session: UUID, removing mayPass: Bool) async throws {
    do {
      try await takeOver(session, passingDeleted: mayPass)
    } catch let error where error is CancellationError || isOfTheHub(error) {
      throw error
    } catch {
      try await leaveAside(session, error)
    }
    tell()
  }

  /// Tells whether an error is of the hub as a whole, and not of one session.
  private func isOfTheHub(_ error: any Error) -> Bool {
    guard let error = error as? KeepsakeError else { return false }
    switch error.cause as? HubFault {
    case .unreachable, .notAHub, .newer, .another, .unconditional, .damaged(session: nil):
      return true
    case .damaged, nil: return [.diskFull, .closed, .locked, .readOnly].contains(error.code)
    }
  }

  /// Leaves a session as it is here, and notes why.
  mutating func leaveAside(_ session: UUID, _ error: any Error) async throws {
    let reason = (error as? KeepsakeError)?.message ?? "\(error)"
    try await handle.write { change in
      var row = try change.db.hubSessions.row(session) ?? .init(id: session)
      row.fault = reason
      try change.db.hubSessions.put(row)
    }
  }
}

// MARK: - One session

extension Sync {
  /// A session as it stands here.
  struct Standing: Sendable {
    /// What the store last saw of the session at the hub.
    var seen: HubSessionTable.Row
    /// The number of the session; nil if it is not here.
    var number: Int64?
    /// Tells whether the session has changes that the hub has not got, as far as is known.
    var isChanged = false
  }

  func standing(_ session: UUID) throws -> Standing {
    try handle.read { db in
      var standing = Standing(seen: try db.hubSessions.row(session) ?? .init(id: session))
      guard let known = try db.sessions.standing(of: session.bytes) else { return standing }
      standing.number = known.number
      // A session that the hub is not known to have is wholly new to it, even if no row of it is listed.
      standing.isChanged =
        try standing.seen.version == 0 || db.unsent.has(known.number)
        || db.offers.has(session)
      return standing
    }
  }

  /// A version of a session, with what it says.
  struct Version: Sendable {
    let number: Int64
    let stamp: UUID
    let commit: SessionCommit
  }

  private mutating func takeOver(_ session: UUID, passingDeleted mayPass: Bool) async throws {
    let standing = try standing(session)
    if mayPass, standing.number == nil, let removed = try await removal(session) {
      return try await note(removed)
    }
    guard !standing.isChanged else { return try await reconcile(session, standing) }
    var seen = standing.seen
    while true {
      let part = try await hub.versions(of: session, after: seen.version, bytes: Self.partBytes)
      for version in part.versions {
        guard version.base == seen.stamp else { return try await reconcile(session, standing) }
        let version = try Version(version, of: session)
        if version.commit.isRemoval {
          removals.append(.init(session: session, version: version.number, stamp: version.stamp))
          return
        }
        try await apply(version, after: seen.version)
        (seen.version, seen.stamp) = (version.number, version.stamp)
      }
      if !part.hasMore { break }
    }
    if part(
      of: seen, isRewound: try await hub.versions(of: session, after: seen.version - 1, bytes: 0))
    {
      return try await reconcile(session, try self.standing(session))
    }
    if seen.fault != nil, seen.version == standing.seen.version {
      try await handle.write { change in
        guard var row = try change.db.hubSessions.row(session) else { return }
        row.fault = nil
        try change.db.hubSessions.put(row)
      }
    }
  }

  /// Tells whether the hub went back to a state from before a version that this store has seen.
  private func part(of seen: HubSessionTable.Row, isRewound versions: HubVersions) -> Bool {
    seen.version > 0 && versions.versions.first?.stamp != seen.stamp
  }

  /// Takes over one version, unless another program did so meanwhile.
  mutating func apply(_ version: Version, after before: Int64) async throws {
    let session = version.commit.session
    if version.commit.base == nil { try await requireParent(of: version.commit) }
    let artifacts = try await artifacts(of: version.commit)
    do {
      try await store.apply(version.commit, artifacts: artifacts) { change in
        let known = try change.db.hubSessions.row(session)?.version ?? 0
        guard known == before else { throw Overtaken() }
        try change.db.hubSessions.put(
          .init(id: session, version: version.number, stamp: version.stamp))
      }
    } catch is Overtaken {
      return
    }
    report.received.insert(session)
    let (count, bytes) = artifacts.fetched.withLock { $0 }
    report.receivedArtifacts += count
    report.receivedBytes += bytes
  }

  /// Another program took the version over meanwhile.
  private struct Overtaken: Error {}

  /// Returns the artifacts that a commit names and that have to be fetched.
  func artifacts(of commit: SessionCommit) async throws -> HubArtifacts {
    let named = Set(commit.records.flatMap(\.artifacts)).sorted()
    let wanted = try named.filter { id in
      if case .right = try handle.artifacts.holding(id.digest) { return false }
      return true
    }
    let missing = wanted.isEmpty ? [] : try await hub.missing(of: wanted)
    return HubArtifacts(hub: hub, present: Set(wanted).subtracting(missing))
  }

  /// Takes over the session from which a new one forked, if it is not here. It may have been deleted since.
  private mutating func requireParent(of commit: SessionCommit) async throws {
    guard let parent = commit.records.first?.bytes("fork.of").flatMap(UUID.init(bytes:)),
      parent != commit.session,
      try handle.read({ try $0.sessions.standing(of: parent.bytes) }) == nil
    else { return }
    var after: Int64 = 0
    while true {
      let part = try await hub.versions(of: parent, after: after, bytes: Self.partBytes)
      for version in part.versions {
        let version = try Version(version, of: parent)
        if version.commit.isRemoval {
          removals.append(.init(session: parent, version: version.number, stamp: version.stamp))
          return
        }
        if version.number == 1 { try await forget(parent) }
        try await apply(version, after: version.number - 1)
        after = version.number
      }
      if !part.hasMore { return }
    }
  }

  /// Forgets what was seen of a session that is taken over from its first version on.
  private func forget(_ session: UUID) async throws {
    try await handle.write { change in try change.db.hubSessions.put(.init(id: session)) }
  }
}

extension Sync.Version {
  /// Reads what a version says.
  init(_ version: HubVersion, of session: UUID) throws {
    let commit = try SessionCommit(decoding: version.bytes)
    guard commit.session == session else {
      throw CopyFault("a version of session \(session) is of another session")
    }
    self.init(number: version.version, stamp: version.stamp, commit: commit)
  }
}

// MARK: - Deleted sessions

extension Sync {
  /// Returns the last version of a session if it says that the session was deleted.
  private func removal(_ session: UUID) async throws -> Removed? {
    let newest = try await hub.versions(of: session, after: .max, bytes: 0).newest
    guard newest > 0,
      let last = try await hub.versions(of: session, after: newest - 1, bytes: 0).versions.last,
      try Version(last, of: session).commit.isRemoval
    else { return nil }
    return Removed(session: session, version: last.version, stamp: last.stamp)
  }

  /// Notes that a session was deleted at the hub, which is not here.
  private func note(_ removed: Removed) async throws {
    try await handle.write { change in
      try change.db.hubSessions.put(
        .init(id: removed.session, version: removed.version, stamp: removed.stamp))
    }
  }

  /// Deletes here what was deleted at the hub, when all else has come.
  mutating func removeDeleted() async throws {
    let removals = removals
    self.removals = []
    for removed in removals {
      let isHere = try handle.read { try $0.sessions.standing(of: removed.session.bytes) } != nil
      let noting: @Sendable (Change) throws -> Void = { change in
        try change.db.hubSessions.put(
          .init(id: removed.session, version: removed.version, stamp: removed.stamp))
      }
      try await store.apply(
        .removal(of: removed.session), artifacts: HubArtifacts(hub: hub, present: []),
        noting: noting)
      if isHere { report.removed.insert(removed.session) }
    }
  }
}
