#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Reads what the writer's connection changed, as commits, inside of a write transaction.
struct CommitReader {
  private let db: Tables

  init(in db: Tables) { self.db = db }

  /// Returns a commit for each session that changed, and forgets the changes.
  ///
  /// A session is in it before its forks, and what was deleted comes last, the forks first. A session that is still hidden,
  /// because its import or its restoring goes on, is left for later.
  func take() throws -> [SessionCommit] {
    var commits: [SessionCommit] = []
    for number in try db.unsent.sessions() {
      if case .commit(let commit) = try take(number) { commits.append(commit) }
    }
    commits += try db.unsent.removals().map(SessionCommit.removal)
    try db.unsent.forgetRemovals()
    return commits
  }

  /// What became of the changes of one session.
  enum Taken {
    case commit(SessionCommit)
    /// Nothing changed that others have to know.
    case nothing
    /// The session is still hidden, and its changes are left for later.
    case later
  }

  /// Returns the commit of one session, and forgets its changes.
  ///
  /// - Parameters:
  ///   - number: The number of the session.
  ///   - mayTake: Tells of a session's id whether its changes may be taken now.
  func take(_ number: Int64, if mayTake: (UUID) throws -> Bool = { _ in true }) throws -> Taken {
    let taken = try read(number, if: mayTake)
    if case .later = taken { return taken }
    try db.unsent.forget(number)
    return taken
  }

  /// Returns the commit of one session like ``take(_:if:)``, and keeps its changes.
  private func read(_ number: Int64, if mayTake: (UUID) throws -> Bool) throws -> Taken {
    guard let standing = try db.unsent.standing(of: number) else { return .nothing }
    guard standing.presence == .shown || standing.presence == .purged, try mayTake(standing.id)
    else { return .later }
    return try commit(of: number, standing).map(Taken.commit) ?? .nothing
  }

  /// Returns the commit of one session as a hub is told it, and forgets its changes; nil if there is nothing to tell now.
  func takeForHub(_ number: Int64, if mayTake: (UUID) throws -> Bool) throws -> SessionCommit? {
    try forHub(take(number, if: mayTake), number)
  }

  /// Returns the commit of one session like ``takeForHub(_:if:)``, and keeps its changes.
  func readForHub(_ number: Int64, if mayTake: (UUID) throws -> Bool) throws -> SessionCommit? {
    try forHub(read(number, if: mayTake), number)
  }

  private func forHub(_ taken: Taken, _ number: Int64) throws -> SessionCommit? {
    guard case .commit(let commit) = taken else { return nil }
    if !commit.isErasing { return commit }
    // It takes the place of all versions before it, in which the erased content stands.
    var whole = try WholeCommits(in: db).commit(of: number)
    whole.erased = commit.erased
    return whole
  }

  /// Reads the commit of a session; nil where nothing changed that others have to know.
  private func commit(of number: Int64, _ standing: UnsentTable.Standing) throws -> SessionCommit? {
    // Each store removes the rows of a deleted session by itself, so their removal is told to nobody. Other stores need a
    // deleted session that is new to them, because its forks need it, and the changes of its chain since they saw it.
    let isPurged = standing.presence == .purged
    if isPurged, standing.base == standing.end { return nil }
    if isPurged, standing.base == nil, try !db.sessions.hasForks(number) { return nil }
    guard let base = standing.base else { return try whole(number) }
    var records: [CopyRecord] = []
    var gone: [SessionCommit.Gone] = []
    var pieces = PieceRecords(of: standing.id.text, in: db.connection)
    var recording: Int64 = 0
    let listed = try Listed(number, in: db)
    if isPurged || listed.isDescribed { records += try db.copies.records(.session, of: number) }
    for kind in SessionCommit.kinds
    where listed.hasRows(of: kind) && (!isPurged || kind.isKeptByPurged) {
      try db.unsent.forEach(kind, of: number) { name, place, record in
        guard var record else {
          if !isPurged { gone.append(name) }
          return
        }
        if kind == .attachment {
          recording += 1
          record["recording"] = .integer(recording)
        }
        if kind == .piece { _ = try pieces.complete(&record, place) }
        records.append(record)
      }
    }
    if !isPurged, listed.isCounted { records += try db.copies.records(.standing, of: number) }
    guard !records.isEmpty || !gone.isEmpty else { return nil }
    return SessionCommit(
      session: standing.id, base: base, end: standing.end, records: records, gone: gone,
      erased: try removedArtifacts(by: records, after: base.count))
  }

  /// Reads the commit of a session that is told as a whole. The session may have other rows than those that were listed, because a sync wrote a
  /// newer version of the session since.
  private func whole(_ number: Int64) throws -> SessionCommit {
    var whole = try WholeCommits(in: db).commit(of: number)
    whole.erased = try removedArtifacts(by: whole.records, after: 0)
    return whole
  }

  /// Returns the artifacts that were removed, if records erase something after a change.
  private func removedArtifacts(by records: [CopyRecord], after change: Int) throws
    -> [Artifact.ID]
  {
    guard records.contains(where: { $0.isErased(after: change) }) else { return [] }
    return try db.unsent.removedArtifacts().map(Artifact.ID.init)
  }
}

/// The kinds of a session's rows that are listed.
private struct Listed {
  private let codes: [Int]

  init(_ session: Int64, in db: Tables) throws { codes = try db.unsent.codes(of: session) }

  /// Tells whether the commit says what describes the session.
  var isDescribed: Bool { codes.contains(CopyRecord.Kind.session.code) }
  /// Tells whether the commit says how the session stands. An older Keepsake listed the session's own row for that.
  var isCounted: Bool { isDescribed || codes.contains(CopyRecord.Kind.standing.code) }

  /// Tells whether rows of a kind are listed, of which a session may have several.
  func hasRows(of kind: CopyRecord.Kind) -> Bool {
    kind != .session && kind != .standing && codes.contains(kind.listed.code)
  }
}

extension SessionCommit {
  /// The kinds of records in a commit, in the order in which they can be written.
  static let kinds: [CopyRecord.Kind] = [
    .session, .turn, .invocation, .entry, .attachment, .revision, .source, .piece, .recognition,
    .change, .saved, .standing,
  ]
}

extension CopyRecord.Kind {
  /// Tells whether rows of the kind are kept of a deleted session that its forks still need.
  fileprivate var isKeptByPurged: Bool {
    switch self {
    case .turn, .saved, .standing: false
    default: true
    }
  }
}
