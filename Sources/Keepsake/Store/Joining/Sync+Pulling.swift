#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Taking over what others told the hub.
extension Sync {
  /// The time in microseconds after which the hub's directory is read, whatever the hub says of what changed.
  private static let trust: Int64 = 3_600_000_000
  /// The most artifacts that come with several versions which are written together. If the sync is stopped, what was fetched of them is
  /// fetched again by the next one.
  private static let artifactsTogether = 16

  /// Takes over all that changed since a mark, and returns the mark to go on from.
  mutating func pull(after mark: HubMark?, synced: Int64?) async throws -> HubMark {
    var (sessions, next) = try await newSessions(after: mark, synced: synced)
    // What was left aside may fit by now.
    sessions.formUnion(try handle.read { try $0.hubSessions.faulty().map(\.id) })
    try await receive(sessions)
    // A session that was left aside because another one was missing may fit now that all have been read.
    for row in try handle.read({ try $0.hubSessions.faulty() }) where sessions.contains(row.id) {
      try await receive(row.id)
    }
    try await removeDeleted()
    return next
  }

  /// Returns the sessions of which the hub has something newer than what was seen here, and the mark to go on from.
  ///
  /// - Parameters:
  ///   - mark: The mark up to which the hub was followed; nil if it never was.
  ///   - synced: The time at which the store last had all that the hub had; nil if it never did.
  mutating func newSessions(after mark: HubMark?, synced: Int64?) async throws
    -> (sessions: Set<UUID>, next: HubMark)
  {
    let changes = try await hub.changes(after: mark)
    let isDue = synced.map { $0 < handle.now() - Self.trust } ?? true
    if mark == nil || changes.mayHaveMissed || isDue {
      return (try await sessionsThatDiffer(), changes.mark)
    }
    let known = try handle.read { try $0.hubSessions.versions() }
    return (Set(changes.sessions.filter { $0.value > known[$0.key] ?? 0 }.keys), changes.mark)
  }

  /// Compares the hub's directory with what the store last saw.
  mutating func sessionsThatDiffer() async throws -> Set<UUID> {
    let directory = try await hub.directory()
    for (session, error) in directory.failures { failed(session, error) }
    return try handle.read { db in
      // The hub may have lost a session.
      var sessions = Set(try db.hubSessions.versions().filter { $0.value > 0 }.keys)
      sessions.subtract(directory.heads.map(\.session))
      sessions.subtract(directory.failures.keys)
      for head in directory.heads {
        let known = try db.hubSessions.row(head.session)
        if known?.version != head.version || known?.stamp != head.stamp {
          sessions.insert(head.session)
        }
      }
      return sessions
    }
  }

  /// Takes over the new versions of some sessions, one session after another in the order of their ids. While one session is written, the
  /// versions of the next ones are read.
  mutating func receive(_ sessions: some Collection<UUID>) async throws {
    let sessions = sessions.sorted { $0.uuidString < $1.uuidString }
    if sessions.count == 1 { return try await receive(sessions[0]) }
    var ahead = ReadAhead(of: sessions, from: hub, for: handle)
    do {
      while let (session, new) = try await ahead.next() {
        try await receive(session, beginningWith: new)
      }
    } catch {
      await ahead.end()
      throw error
    }
  }

  /// Takes over the versions of a session that are new here. An error of one session leaves it aside, and the others go on.
  /// - Parameters:
  ///   - session: The session.
  ///   - new: The first of these versions, if they were read already.
  mutating func receive(_ session: UUID, beginningWith new: NewVersions? = nil) async throws {
    var new = new
    do {
      try await retrying { try await $0.takeOver(session, beginningWith: new.take()) }
    } catch let error where error.isOfMore {
      throw error
    } catch is Changed {
      try await leaveAside(session, KeepsakeError.changing(session))
    } catch {
      try await leaveAside(session, error)
    }
    showProgress()
  }

  /// Runs a body again when the session changed here while it ran.
  private mutating func retrying(_ body: (inout Sync) async throws -> Void) async throws {
    for _ in 0..<Self.rounds {
      do { return try await body(&self) } catch is Changed {
        continue
      } catch let error as KeepsakeError where error.code == .conflict && error.cause == nil {
        continue
      }
    }
    try await body(&self)
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

extension Error {
  /// Tells whether an error is of more than one session: of the hub, or of the store, or because the task was cancelled.
  var isOfMore: Bool { self is CancellationError || (self as? KeepsakeError)?.isOfAHub == true }

  /// Tells whether an error says that the hub's versions of one session are damaged.
  var isOfDamagedVersions: Bool {
    if case .damaged(session: .some)? = (self as? KeepsakeError)?.cause as? HubFault { return true }
    return self is CopyFault
  }
}

extension KeepsakeError {
  /// Tells whether an error is of a hub as a whole, or of the store, and not of one session.
  var isOfAHub: Bool {
    switch cause as? HubFault {
    case .unreachable, .notAHub, .newer, .older, .another, .unconditional, .damaged(session: nil):
      true
    case .damaged, nil: [.diskFull, .closed, .locked, .readOnly].contains(code)
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
    /// Tells whether the session was deleted here, which the hub does not know.
    var isDeletedHere = false
  }

  func standing(_ session: UUID) throws -> Standing {
    try handle.read { db in
      var standing = Standing(seen: try db.hubSessions.row(session) ?? .init(id: session))
      standing.isDeletedHere = try isDeletedHere(session, in: db)
      guard let known = try db.sessions.standing(of: session.bytes) else { return standing }
      standing.number = known.number
      // A session that the hub is not known to have is wholly new to it, even if no row of it is listed.
      standing.isChanged =
        try standing.seen.version == 0 || db.unsent.has(known.number)
        || db.offers.has(session)
      return standing
    }
  }

  /// Tells whether a session was deleted here, which the hub does not know.
  func isDeletedHere(_ session: UUID, in db: Tables) throws -> Bool {
    if try db.unsent.hasRemoval(of: session) { return true }
    // A shared store deletes when the hub has said yes, and not before.
    guard !isShared, let offer = try db.offers.row(of: session) else { return false }
    return try db.sessions.standing(of: session.bytes) == nil
      || SessionCommit(decoding: offer.bytes).isRemoval
  }

  /// A version of a session, with what it says.
  struct Version: Sendable {
    let number: Int64
    let stamp: UUID
    var commit: SessionCommit
    /// The number of records that name artifacts.
    let artifacts: Int
  }

  /// Takes over what is new of a session, or brings both sides together where it changed here, too.
  mutating func takeOver(_ session: UUID, beginningWith new: NewVersions? = nil) async throws {
    let standing = try standing(session)
    if standing.isDeletedHere { return try await stayDeleted(session, standing) }
    let part =
      if let new, new.follow(standing.seen) { new.versions } else {
        try await part(of: session, after: standing.seen)
      }
    if standing.number == nil, let last = try await deletion(of: session, in: part) {
      return try await note(last, of: session)
    }
    let isRewound = try await isRewound(session, standing.seen, part)
    if standing.isChanged || isRewound {
      try await reconcile(session, standing)
    } else {
      try await takeOver(session, after: standing.seen, beginningWith: part)
    }
    // The fault goes also where the hub has nothing new, because a session with a fault is not offered.
    if standing.seen.fault != nil { try await put(session) { $0.fault = nil } }
  }

  /// Reads the first versions after the one that was seen last. In most cases these are all that is new, and no other call is needed.
  ///
  /// - Returns: The versions; nil if they are damaged. The session may have been deleted, so that nobody needs them.
  private func part(of session: UUID, after seen: HubSessionTable.Row) async throws -> HubVersions?
  {
    do {
      return try await hub.versions(of: session, after: seen.version, bytes: Self.partBytes)
    } catch let error where error.isOfDamagedVersions {
      return nil
    }
  }

  /// Takes over all versions after one.
  /// - Parameter part: The first of these versions, if they were read already.
  mutating func takeOver(
    _ session: UUID, after seen: HubSessionTable.Row, beginningWith part: HubVersions? = nil
  ) async throws {
    var seen = seen
    var read = seen.version
    var known = part
    // The artifacts that were erased in versions of which nothing is left.
    var erased: [Artifact.ID]?
    while true {
      let part =
        if let first = known.take() { first } else {
          try await hub.versions(of: session, after: read, bytes: Self.partBytes)
        }
      // Most versions are small changes, of which each would cost a transaction of its own. The beginning of a new session is written with them.
      var changes: [Version] = []
      // The number of records in these changes that name artifacts.
      var named = 0
      for told in part.versions {
        let told = Result { try Version(told, of: session) }
        if case .success(let version) = told, erased == nil,
          version.isSmallChange || read == 0 && version.isBeginning
        {
          if !changes.isEmpty, named + version.artifacts > Self.artifactsTogether {
            try await apply(changes, after: &seen.version)
            (changes, named) = ([], 0)
          }
          read = version.number
          changes.append(version)
          named += version.artifacts
          continue
        }
        try await apply(changes, after: &seen.version)
        (changes, named) = ([], 0)
        var version = try told.get()
        read = version.number
        if version.commit.isRemainder || erased != nil && !version.commit.standsAlone {
          erased = (erased ?? []) + version.commit.erased
          continue
        }
        version.commit.erased += erased ?? []
        erased = nil
        try await apply(version, after: seen.version)
        seen.version = version.number
      }
      try await apply(changes, after: &seen.version)
      if part.hasMore { continue }
      // Another store erased something while this one read, and the version that takes its place came since.
      guard erased == nil else { throw KeepsakeError.erasedMeanwhile(session) }
      return
    }
  }

  /// Tells whether the hub does not have the version any more that was seen last.
  /// - Parameter part: The versions after that one, which may tell its stamp.
  private func isRewound(
    _ session: UUID, _ seen: HubSessionTable.Row, _ part: HubVersions?
  ) async throws -> Bool {
    guard seen.version > 0 else { return false }
    if let stamp = part?.before { return stamp != seen.stamp }
    let last = try await hub.versions(of: session, after: seen.version - 1, bytes: 0)
    return last.versions.first?.stamp != seen.stamp
  }

  /// Changes what is noted of a session.
  func put(
    _ session: UUID, _ change: @escaping @Sendable (inout HubSessionTable.Row) -> Void
  ) async throws {
    try await handle.write { write in
      var row = try write.db.hubSessions.row(session) ?? .init(id: session)
      change(&row)
      try write.db.hubSessions.put(row)
    }
  }

  /// Takes over the session from which a new one forked, as far as that is needed. It may have been deleted since.
  mutating func requireParent(of commit: SessionCommit) async throws {
    guard let record = commit.records.first, let change = record.int("fork.change"),
      let head = record.bytes("fork.head").flatMap(SHA256Digest.init(bytes:)),
      let parent = record.bytes("fork.of").flatMap(UUID.init(bytes:)), parent != commit.session
    else { return }
    // A hub that lies may say of two sessions that each was forked from the other one.
    guard fetching.insert(parent).inserted else {
      throw CopyFault("session \(parent) was forked from a fork of itself")
    }
    defer { fetching.remove(parent) }
    if try await takeOverDeleted(parent, for: commit) { return }
    let point = Chain(head: head, count: change)
    let (here, isThere) = try handle.read { db -> (UnsentTable.Standing?, Bool) in
      guard let known = try db.sessions.standing(of: parent.bytes),
        let here = try db.unsent.standing(of: known.number)
      else { return (nil, false) }
      return (here, try ChainHistory.has(point, session: known.number, endingAt: here.end, in: db))
    }
    if isThere {
      if !commit.isOfPurged, let position = record.int("fork.position") {
        try await requireShared(parent, before: position)
      }
      return
    }
    let seen = try await beginFetching(parent)
    if here?.presence == .shown {
      // A parent that changed here as well is reconciled, and not overwritten.
      try await takeOver(parent)
    } else {
      try await takeOver(parent, after: seen)
      try await eraseOffered(in: parent)
    }
    try await put(parent) { $0.fault = nil }
  }

  /// Notes that a session is being fetched, because a fork needs it. Until all of it has come, it is looked at again with each sync.
  /// - Returns: The version after which it is fetched.
  private func beginFetching(_ session: UUID) async throws -> HubSessionTable.Row {
    try await handle.write { change in
      let db = change.db
      var row = try db.hubSessions.row(session) ?? .init(id: session)
      // A session of which nothing is here is fetched from its beginning. If another task has made the session by now, the version that
      // this task noted stays.
      if try db.sessions.standing(of: session.bytes) == nil { (row.version, row.stamp) = (0, nil) }
      row.fault = "It is being fetched, because a fork needs it."
      try db.hubSessions.put(row)
      return row
    }
  }
}

extension Hub {
  /// Reads all versions of a session.
  func allVersions(of session: UUID) async throws -> [Sync.Version] {
    var all: [Sync.Version] = []
    while true {
      let part = try await versions(
        of: session, after: all.last?.number ?? 0, bytes: Sync.partBytes)
      all += try part.versions.map { try Sync.Version($0, of: session) }
      if !part.hasMore { return all }
    }
  }
}

extension Sync.Version {
  /// Tells whether the version changes a session that is there.
  fileprivate var isSmallChange: Bool {
    commit.base != nil && !commit.isRemainder && !commit.isOfPurged && !commit.isRemoval
  }

  /// Tells whether the version makes a session.
  fileprivate var isBeginning: Bool { commit.isWhole && !commit.isOfPurged }

  /// Reads what a version says.
  init(_ version: HubVersion, of session: UUID) throws {
    let commit = try version.commit
    guard commit.session == session else {
      throw CopyFault("a version of session \(session) is of another session")
    }
    if let place = commit.place, place != CommitPlace(stamp: version.stamp, base: version.base) {
      throw CopyFault(
        "version \(version.version) of session \(session) is not the one that was sent there")
    }
    self.init(
      number: version.version, stamp: version.stamp, commit: commit,
      artifacts: commit.records.count(where: \.namesArtifacts))
  }
}
