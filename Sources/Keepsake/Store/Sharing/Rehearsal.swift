#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The changes that some requests make, found by trying them in a transaction.
struct Rehearsal: Sendable {
  /// A commit that the hub is to be asked for.
  struct Proposal: Sendable {
    let commit: SessionCommit
    /// The commit as it is sent, with the version that it builds on.
    let row: OfferTable.Row
    var session: UUID { commit.session }
  }

  /// The proposals, at most one for each session, the parents before their forks.
  let proposals: [Proposal]
  /// SQLite's `data_version`, which changes when another process writes to the folder.
  let dataVersion: Int64
  /// The errors of requests, by their index.
  private(set) var errors: [Int: any Error] = [:]
  /// The numbers of the sessions that changed in the folder.
  let changed: [Int64]

  /// Tries requests inside of a write transaction, each so that an error undoes only its own work.
  init(_ requests: [SharedRequest], in writing: WriteTables) throws {
    let db = writing.tables
    let isAlone = requests.count == 1
    for (index, request) in requests.enumerated() {
      do {
        for session in request.sessions { try Self.requireInStep(session, in: db) }
        // If nothing else is in the transaction, its end undoes the work.
        if isAlone {
          try request.try(in: writing)
        } else {
          try db.attempting { try request.try(in: writing) }
        }
      } catch {
        guard db.isInTransaction else { throw error }
        errors[index] = error
      }
    }
    let hasNothing = isAlone && !errors.isEmpty
    changed = hasNothing ? [] : try db.unsent.sessions()
    let sessions = Set(requests.flatMap(\.sessions))
    proposals = try Self.proposals(of: changed, in: db) { sessions.contains($0) }
    dataVersion = try db.files.dataVersion()
  }

  /// Returns what a body inside of a write transaction would change, with the body's result.
  static func proposals<Result>(
    in writing: WriteTables, now clock: @escaping @Sendable () -> Date,
    _ body: (Change) throws -> Result
  ) throws -> (result: Result, proposals: [Proposal], later: [Change.Local]) {
    let (result, later) = try Change.rehearse(in: writing, now: clock, body)
    let db = writing.tables
    return (result, try proposals(of: db.unsent.sessions(), in: db) { _ in true }, later)
  }

  /// Throws if a session takes no changes, because it was deleted, or because what the hub has of it can't be read.
  static func requireInStep(_ session: UUID, in db: Tables) throws {
    guard let seen = try db.hubSessions.row(session) else { return }
    // Another task has read that the session was deleted, and is about to remove it. A change would follow the deletion at the hub.
    if seen.isRemoved { throw KeepsakeError.noSession(session) }
    if let fault = seen.fault { throw KeepsakeError.leftAside(session, fault) }
  }

  /// Makes a proposal for each session that changed, if the session's id is one that may be proposed.
  private static func proposals(
    of changed: [Int64], in db: Tables, if mayPropose: (UUID) -> Bool
  ) throws -> [Proposal] {
    try changed.compactMap { number in
      try CommitReader(in: db).readForHub(number, if: mayPropose).map { try Proposal($0, in: db) }
    }
  }
}

extension Rehearsal.Proposal {
  init(_ commit: SessionCommit, in db: Tables) throws {
    self.commit = commit
    row = try OfferTable.Row(commit, after: db.hubSessions.row(commit.session)?.stamp)
  }
}
