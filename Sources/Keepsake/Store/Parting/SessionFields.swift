#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The values of a session that are no part of its chain, and that an app changes at will: its title, tags and metadata, how its
/// turns ended, and the list that it saved last.
struct SessionFields: Sendable {
  let id: UUID
  private(set) var session: CopyRecord
  private(set) var standing: CopyRecord
  private(set) var turns: [Int: CopyRecord] = [:]
  private(set) var saved: CopyRecord?

  /// Reads the values from a commit that has the whole session, and from commits that build on it.
  init(of commits: [SessionCommit]) throws {
    guard let whole = commits.first, let session = whole.records.first, session.kind == .session,
      let standing = whole.records.first(where: { $0.kind == .standing })
    else { throw CopyFault("no commit has the whole session") }
    self.init(id: whole.session, session: session, standing: standing)
    for commit in commits { try add(commit) }
  }

  init(id: UUID, session: CopyRecord, standing: CopyRecord) {
    self.id = id
    self.session = session
    self.standing = standing
  }

  /// Takes over what a commit changes of the values.
  mutating func add(_ commit: SessionCommit) throws {
    guard commit.session == id, !commit.isRemoval, !commit.isOfPurged else {
      throw CopyFault("a commit does not say how session \(id) goes on")
    }
    for record in commit.records { add(record) }
    if commit.gone.contains(where: { $0.kind == .saved }) { saved = nil }
  }

  mutating func add(_ record: CopyRecord) {
    switch record.kind {
    case .session: session = record
    case .standing: standing = record
    case .turn: turns[record.int("number") ?? 0] = record
    case .saved: saved = record
    default: return
    }
  }

  /// Changes the session's own record.
  mutating func describe(_ change: (inout CopyRecord) -> Void) { change(&session) }

  mutating func replaceSaved(by list: CopyRecord?) { saved = list }
}

// MARK: - Reading

extension SessionFields {
  /// Reads the values of a session as they are in a store.
  init(of session: UUID, in db: Tables) throws {
    guard let known = try db.sessions.standing(of: session.bytes),
      known.state == SessionPresence.shown.rawValue,
      let record = try db.copies.session(known.number),
      let standing = try db.copies.records(.standing, of: known.number).first
    else { throw KeepsakeError.noSession(session) }
    self.init(id: session, session: record, standing: standing)
    for record in try db.copies.records(.turn, of: known.number) { add(record) }
    for record in try db.copies.records(.saved, of: known.number) { add(record) }
  }

  /// Tells whether other values are the same.
  func isSame(as other: SessionFields) -> Bool {
    session.values == other.session.values && standing.values == other.standing.values
      && saved?.values == other.saved?.values
      && turns.mapValues(\.values) == other.turns.mapValues(\.values)
  }
}

extension Store {
  /// Reads the values of a session as they are here.
  @concurrent
  func fields(of session: UUID) async throws -> SessionFields {
    try handle.read { db in try SessionFields(of: session, in: db) }
  }
}
