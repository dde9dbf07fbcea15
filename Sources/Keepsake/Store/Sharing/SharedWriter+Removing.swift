#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Erasing and deleting in a store that shares sessions.
///
/// Both concern a session and its forks, and take older versions out of the hub. So all that the hub has of the session and its forks is
/// taken over first, and each offer is written down before it is sent. If the process ends in between, the next exchange with the hub
/// sends the offer again.
extension SharedWriter {
  /// Erases something in a session and in its forks, a session at a time, the owner first.
  ///
  /// After an attempt that came too late, other stores have to wait with their changes during the next one. Otherwise a store that writes all
  /// the time could make each attempt come too late.
  /// - Parameters:
  ///   - session: The session.
  ///   - handle: The handle through which it is done.
  ///   - body: The erasing. It may run again after a part of it was taken, and then erases the rest.
  func erase(
    in session: UUID, for handle: StoreHandle,
    _ body: @escaping @Sendable (Change) throws -> (removed: Removal, unused: UnusedArtifacts)
  ) async throws -> Removal {
    let deadline = Instant.now.advanced(by: handle.options.patience)
    let faults = await resolve([session])
    if let fault = faults[session] { throw fault }
    var first: Removal?
    var late: UUID?
    while true {
      let attempt =
        if let late {
          try await alone(on: late) { [self] in
            try await hub.holding(late) {
              try await self.erase(once: body, in: session, for: handle)
            }
          }
        } else {
          try await erase(once: body, in: session, for: handle)
        }
      first = first ?? attempt.removed
      late = attempt.late
      if late == nil {
        await write([], attempt.later)
        try await forgetArtifacts()
        try await sync().leaveNote()
        var removed = first ?? attempt.removed
        removed.isComplete = try await self.handle.removeTraces(
          files: [], patience: handle.options.patience, indexPieces: .max)
        return removed
      }
      guard Instant.now < deadline else { throw KeepsakeError.overtaken(session) }
    }
  }

  /// The outcome of one attempt to erase something.
  private struct Attempt: Sendable {
    /// The removal, as it was tried.
    let removed: Removal
    /// The changes that concern this store alone.
    let later: [Change.Local]
    /// The session in which the erasing came too late, because another store changed the session meanwhile; nil if all is erased.
    var late: UUID?
  }

  /// Tries once to erase something, after all that the hub has of the session and its forks is taken over.
  private func erase(
    once body: @escaping @Sendable (Change) throws -> (removed: Removal, unused: UnusedArtifacts),
    in session: UUID, for handle: StoreHandle
  ) async throws -> Attempt {
    try await takeOverFamily(of: session)
    let (removed, proposals, later) = try await handle.rehearse { writing in
      try Rehearsal.requireInStep(session, in: writing.tables)
      let (result, proposals, later) = try Rehearsal.proposals(
        in: writing, now: handle.options.now, body)
      return (result.removed, proposals, later)
    }
    var attempt = Attempt(removed: removed, later: later)
    for proposal in proposals where attempt.late == nil {
      if try await !offer(proposal) { attempt.late = proposal.session }
    }
    for proposal in proposals { try await catchUp(proposal.session) }
    return attempt
  }

  /// Deletes sessions, the forks before what they were forked from.
  func delete(_ ids: Set<UUID>, indexPieces: Int) async throws -> [UUID: Removal] {
    if ids.isEmpty { return [:] }
    if let fault = await resolve(ids).values.first { throw fault }
    for id in ids { try await takeOverFamily(of: id) }
    let sessions = try handle.read { db in
      try ids.map { id in
        guard let number = try Store.number(of: id, in: db) else {
          throw KeepsakeError.noSession(id)
        }
        return (id: id, number: number)
      }
    }
    var removed: [UUID: Removal] = [:]
    for session in sessions.sorted(by: { $0.number > $1.number }) {
      // If this store forked the session after the hub has taken the deletion and before the folder has lost the session, nobody could
      // read the fork.
      removed[session.id] = try await alone(on: session.id) { [self] in
        try await delete(session.id, indexPieces: indexPieces)
      }
    }
    try await sync().leaveNote()
    return removed
  }

  /// Deletes a new fork that nobody can read: before the folder had the fork, another process that uses the folder removed what the
  /// fork shares.
  ///
  /// - Parameters:
  ///   - fork: The fork, which the hub has.
  ///   - origin: The session from which it was made.
  /// - Returns: Whether the fork was deleted. If another store has changed the fork already, that store can read it, and the fork stays.
  func takeBack(_ fork: UUID, of origin: UUID) async throws -> Bool {
    let handle = handle
    return try await alone(on: fork) { [self] in
      let isLost = try handle.read { db in
        try db.hubSessions.row(fork)?.fault != nil && Store.number(of: fork, in: db) == nil
          && Store.number(of: origin, in: db) == nil
      }
      guard isLost, let head = try await hub.directory(of: [fork]).heads.first, head.version == 1
      else { return false }
      let deletion = SessionCommit.removal(of: fork)
      let row = try OfferTable.Row(deletion, after: head.stamp)
      guard try await offer(Rehearsal.Proposal(commit: deletion, row: row)) else { return false }
      try await catchUp(fork)
      return true
    }
  }

  /// Empties the list of artifacts that this store removed. A sweep of the hub removes artifacts that no session needs.
  private func forgetArtifacts() async throws {
    try await handle.write { change in
      try change.db.unsent.forget(removed: change.db.unsent.removedArtifacts())
    }
  }

  /// Deletes a session. If an attempt came too late, other stores have to wait with their changes during the next one.
  private func delete(_ id: UUID, indexPieces: Int) async throws -> Removal {
    let deadline = Instant.now.advanced(by: handle.options.patience)
    var isDeleted = try await offerDeletion(of: id)
    while !isDeleted {
      guard Instant.now < deadline else { throw KeepsakeError.overtaken(id) }
      isDeleted = try await hub.holding(id) { [self] in
        try await catchUp(id)
        guard try handle.read({ try Store.number(of: id, in: $0) }) != nil else {
          throw KeepsakeError.noSession(id)
        }
        return try await offerDeletion(of: id)
      }
    }
    // A fork made at the same moment needs the entries that it shares, and the hub is told these again.
    try await takeOverForks(of: id)
    let removed = try await handle.delete([id], indexPieces: indexPieces)[id]
    try await handle.write { try $0.db.unsent.forget(removal: id) }
    try await forgetArtifacts()
    try await catchUp(id)
    return removed ?? Removal()
  }

  /// Offers the deletion of a session as it is here, and tells whether the hub has taken it.
  private func offerDeletion(of id: UUID) async throws -> Bool {
    let handle = handle
    return try await offer(
      handle.rehearse { writing in
        try Self.deletion(of: id, in: writing, now: handle.options.now)
      })
  }

  /// Makes the commit that says that a session was deleted, with what its forks still need of it.
  private static func deletion(
    of id: UUID, in writing: WriteTables, now clock: @escaping @Sendable () -> Date
  ) throws -> Rehearsal.Proposal {
    let db = writing.tables
    _ = try Change.rehearse(in: writing, now: clock) { change in
      let number = try Store.hide(id, in: change)
      var targets: [RemovalStep.Target] = [.session(number)]
      while let target = targets.popLast() {
        targets += try RemovalStep(target, limit: .max, in: change).next
      }
    }
    return try .init(Sync.deletion(of: id, in: db), in: db)
  }

  /// Offers a commit that takes the place of all versions before it, and takes out of these what was erased.
  ///
  /// - Returns: Whether the hub has taken it.
  private func offer(_ proposal: Rehearsal.Proposal) async throws -> Bool {
    let row = proposal.row
    try await handle.write { change in
      _ = try change.db.offers.remove(of: row.session)
      try change.db.offers.insert(row)
    }
    let answer = await ask([proposal])[proposal.session]
    // An offer without an answer stays in the table of offers. The next exchange with the hub sends it again.
    if let error = answer?.error {
      _ = unresolved.withLock { $0.removeValue(forKey: proposal.session) }
      throw error
    }
    if let version = answer?.version {
      try await sync().erasePast(of: proposal.commit, at: row.stamp, as: version)
    }
    try await handle.write { _ = try $0.db.offers.remove(row.stamp, of: row.session) }
    return answer?.version != nil
  }
}
