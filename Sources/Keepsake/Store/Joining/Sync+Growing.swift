#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A deleted session of which less is here than a fork needs that came later.
extension Sync {
  /// Takes over again from the hub what a new fork shares and this store has removed.
  ///
  /// - Parameters:
  ///   - parent: The session that the fork was made from. It is here.
  ///   - position: The position up to which the fork shares entries.
  mutating func requireShared(_ parent: UUID, before position: Int) async throws {
    let short = try handle.read { db -> [UUID] in
      guard let known = try db.sessions.standing(of: parent.bytes) else { return [] }
      return try Lineage(of: known.number, in: db).pieces
        .filter { try !$0.isWhole(before: position, in: db) }
        .compactMap { try db.unsent.standing(of: $0.session)?.id }
    }
    for session in short {
      let commits = try await hub.allVersions(of: session).map(\.commit)
      // Without one the fork can't be written, which is an error of the fork.
      if let whole = commits.last(where: \.isWhole), whole.isOfPurged,
        let here = try self.whole(session)
      {
        let owed = try SessionPast(of: [here]).erasures(missingIn: [whole])
        try await grow(session, as: whole, erasing: owed) { change in
          var row = try change.db.hubSessions.row(session) ?? .init(id: session)
          // The end of the pull deletes the session again, and removes what no fork needs of the session.
          row.isRemoved = true
          try change.db.hubSessions.put(row)
        }
      }
    }
  }

  /// Replaces what is here of a deleted session, together with its forks, whose rows stand beside it.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - whole: All that the hub has of it.
  ///   - owed: The rows that this store has erased and the hub has not. The new rows of the session are erased likewise, and the next offer
  ///     tells the hub.
  ///   - note: A closure that notes in the same transaction that it was done.
  mutating func grow(
    _ session: UUID, as whole: SessionCommit, erasing owed: [ErasedElsewhere.Row] = [],
    noting note: @escaping @Sendable (Change) throws -> Void
  ) async throws {
    guard let here = try handle.read({ db in try Self.forks(of: session, in: db) }) else { return }
    if here.hasDrafts { throw KeepsakeError.partingWaits(session) }
    var batch = CommitBatch()
    batch.replacing = [session] + here.forks.map(\.id)
    let isAhead = try here.own.goesOn(from: whole)
    batch.taken = [
      isAhead ? here.own.keeping(rowsOf: whole) : whole.keeping(rowsOf: here.own)
    ]
    batch.taken += here.commits
    try await rewrite(session, batch, erasing: owed) { change in
      guard let now = try Self.forks(of: session, in: change.db), try now.isSame(as: here) else {
        throw Changed()
      }
    } noting: { change in
      try here.list(in: change.db)
      try note(change)
    }
  }

  static func forks(of session: UUID, in db: Tables) throws -> ForksHere? {
    try db.sessions.standing(of: session.bytes).map { try ForksHere(of: $0.number, in: db) }
  }
}

extension SessionCommit {
  /// Returns what another store erased of a deleted session and this commit still has; nil if the pasts of the two don't part.
  ///
  /// The pasts part if two stores changed the session before one of them deleted it, or forks in two stores erased something of it at once.
  func erasures(owedBy other: SessionCommit) throws -> [ErasedElsewhere.Row]? {
    let past = try SessionPast(of: [other])
    let comparison = try PastComparison(ours: past, theirs: SessionPast(of: [self]))
    guard comparison.ours > 0, comparison.theirs > 0 else { return nil }
    let entries = Set(records.filter { $0.kind == .entry }.compactMap { $0.int("position") })
    return past.erasures(after: comparison.common).filter { row in
      if case .entry(let position) = row { entries.contains(position) } else { true }
    }
  }
}
