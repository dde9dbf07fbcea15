#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Telling the hub what changed here.
extension Sync {
  /// The number of times that artifacts are put again if the hub has lost them when a commit needs them.
  static let puts = 3

  /// Offers all that changed, and returns the sessions that others changed meanwhile.
  mutating func push() async throws -> Set<UUID> {
    var refused: Set<UUID> = []
    while true {
      let held = try await settleTellings()
      try await finishRemovals()
      // A fork is offered when the hub has what it forked from, and its own forks after that.
      repeat {
        try await writeDownOffers(despite: held)
        // Some may be left from a sync that was interrupted, and forks wait for these, too.
        if try handle.read({ try $0.offers.count() }) == 0 { break }
        refused.formUnion(try await send())
      } while refused.isEmpty && report.failed.isEmpty
      guard try handle.read({ try $0.offers.count() }) == 0 else { return refused }
      let hasRemovals = try await writeDownRemovals(besides: held)
      refused.formUnion(try await send())
      // A fork may have waited for what the hub has now of the deleted session that it was forked from.
      guard hasRemovals, refused.isEmpty else { return refused }
    }
  }

  /// Removes the rows that are left of deleted sessions which changed. The hub is told of a deleted session when its left rows are gone.
  private func finishRemovals() async throws {
    let deleted = try handle.read { db in
      try db.unsent.sessions().compactMap { try db.unsent.standing(of: $0) }
        .filter { $0.presence == .purged }.map(\.id)
    }
    if !deleted.isEmpty { try await handle.finishRemoving(deleted) }
  }

  // MARK: - Writing down

  /// Writes down an offer for each session that changed, in the same transactions in which the changes are taken off the list.
  /// A session that is damaged here is left out, and its changes stay on the list.
  /// - Parameter held: The deleted sessions of which the hub has more than it has to, and is not told yet.
  private mutating func writeDownOffers(despite held: Set<UUID>) async throws {
    var damaged: Set<UUID> = []
    var after: Int64? = 0
    while let start = after {
      do {
        after = try await handle.write { [damaged] change in
          try Self.writeDown(after: start, despite: held, besides: damaged, in: change.db)
        }
      } catch let fault as DamagedSession {
        damaged.insert(fault.id)
        failed(fault.id, fault.error)
      }
    }
  }

  /// A session of which an offer can't be written down, because other stores could not read it.
  private struct DamagedSession: Error {
    let id: UUID
    let error: any Error
  }

  /// Writes down some offers, and returns the number of the session after which there are more; nil if there are none.
  private static func writeDown(
    after: Int64, despite held: Set<UUID>, besides damaged: Set<UUID>, in db: Tables
  ) throws -> Int64? {
    let untold = Set(try db.hubSessions.untold())
    let numbers = untold.union(try db.unsent.sessions()).filter { $0 > after }.sorted()
    var size = 0
    var last = after
    for number in numbers {
      if size > partBytes { return last }
      last = number
      let mayTake: (UUID) throws -> Bool = { id in
        try !damaged.contains(id) && !db.offers.has(id) && db.hubSessions.row(id)?.fault == nil
          && hasOrigin(number, id, despite: held, in: db)
          && db.clearing.sessions(leftOf: id).isEmpty
      }
      guard
        let commit = try commit(
          of: number, isUntold: untold.contains(number), if: mayTake, in: db)
      else { continue }
      let base = try db.hubSessions.row(commit.session)?.stamp
      let offer: OfferTable.Row
      do { offer = try OfferTable.Row(commit, after: base) } catch let error as KeepsakeError
        where error.code == .damaged
      { throw DamagedSession(id: commit.session, error: error) }
      try db.offers.insert(offer)
      size += offer.bytes.count
    }
    return nil
  }

  /// Takes the changes of a session off the list; nil if there is nothing to offer now.
  private static func commit(
    of number: Int64, isUntold: Bool, if mayTake: (UUID) throws -> Bool, in db: Tables
  ) throws -> SessionCommit? {
    guard isUntold else { return try CommitReader(in: db).takeForHub(number, if: mayTake) }
    guard let standing = try db.unsent.standing(of: number), try mayTake(standing.id),
      try standing.presence == .shown || db.sessions.hasForks(number)
    else { return nil }
    try db.unsent.forget(number)
    return try WholeCommits(in: db).commit(of: number)
  }

  /// Tells whether the hub has what a new session forked from, if it is a fork.
  private static func hasOrigin(
    _ number: Int64, _ id: UUID, despite held: Set<UUID>, in db: Tables
  ) throws -> Bool {
    // A fork that is told as a whole, although the hub has it, may have another origin than the hub knows.
    if let seen = try db.hubSessions.row(id), seen.version > 0, try !db.unsent.isToldWhole(number) {
      return true
    }
    guard let (parent, change) = try db.sessions.origin(of: number) else { return true }
    guard let standing = try db.unsent.standing(of: parent),
      let seen = try db.hubSessions.row(standing.id), seen.version > 0, seen.fault == nil,
      try !db.offers.has(standing.id)
    else { return false }
    // If the hub knows already that the parent was deleted, it is told first what the fork needs of it.
    if try !held.contains(standing.id) && db.unsent.hasTellingAgain(of: standing.id) {
      return false
    }
    return (standing.base?.count ?? 0) >= change
  }

  /// Writes down an offer for each session that was deleted and that the hub has, but for some.
  /// - Returns: Whether there were any.
  private mutating func writeDownRemovals(besides held: Set<UUID>) async throws -> Bool {
    // Rows that a process left in the middle of a deletion are not to be told.
    let removals = try handle.read { try $0.unsent.removals() }
    if !removals.isEmpty { try await handle.finishRemoving(removals) }
    let (hasOffers, damaged) = try await handle.write { change in
      let db = change.db
      var hasOffers = false
      var damaged: [DamagedSession] = []
      for session in try db.unsent.removals() where !held.contains(session) {
        // A program may be removing the session's rows at this moment. The hub is told once all of them are gone.
        guard try db.clearing.sessions(leftOf: session).isEmpty else { continue }
        // Another program that shares the folder may have offered a change of the session just now. The deletion stays on the list until the
        // hub has answered that offer.
        if try db.offers.has(session) { continue }
        let seen = try db.hubSessions.row(session)
        if seen?.fault != nil { continue }
        guard let seen, seen.version > 0 else {
          try db.unsent.forget(removal: session)
          continue
        }
        let offer: OfferTable.Row
        do { offer = try .init(Self.deletion(of: session, in: db), after: seen.stamp) } catch let
          error as KeepsakeError where error.code == .damaged
        {
          damaged.append(DamagedSession(id: session, error: error))
          continue
        }
        try db.unsent.forget(removal: session)
        hasOffers = true
        try db.offers.insert(offer)
      }
      return (hasOffers, damaged)
    }
    for fault in damaged { failed(fault.id, fault.error) }
    return hasOffers
  }

  /// The commit that says that a session was deleted, with what its forks still need of it.
  static func deletion(of session: UUID, in db: Tables) throws -> SessionCommit {
    guard let known = try db.sessions.standing(of: session.bytes),
      known.state == SessionPresence.purged.rawValue, try db.sessions.hasForks(known.number)
    else { return .removal(of: session) }
    return try WholeCommits(in: db).commit(of: known.number)
  }

  // MARK: - Sending

  /// Sends what is written down, and returns the sessions that others changed meanwhile.
  private mutating func send() async throws -> Set<UUID> {
    var refused: Set<UUID> = []
    var after: Int64 = 0
    while true {
      try Task.checkCancellation()
      let rows = try handle.read { [after] in
        try $0.offers.next(after: after, bytes: Self.partBytes)
      }
      guard let last = rows.last else { return refused }
      after = last.place
      // What was deleted after its offer was written down is not told to anybody.
      let deleted = try handle.read { db in
        try rows.map(\.row).filter { row in
          let commit = try SessionCommit(decoding: row.bytes)
          return try !commit.isRemoval && !commit.isOfPurged && isDeletedHere(row.session, in: db)
        }
      }
      refused.formUnion(deleted.map(\.session))
      var offers = try rows.map(\.row).filter { !refused.contains($0.session) }
        .map { try HubOffer($0, in: handle) }
      if offers.isEmpty { continue }
      for round in 1...Self.puts {
        try await put(Set(offers.flatMap(\.artifacts)).sorted())
        let answers = try await hub.commit(offers)
        var again: [HubOffer] = []
        for (offer, answer) in zip(offers, answers) {
          switch answer {
          case .yes(let version):
            // The offer is sent again until this is done, whatever stops it.
            let commit = try SessionCommit(decoding: offer.bytes)
            try await erasePast(of: commit, at: offer.stamp, as: version)
            try await taken(offer.stamp, of: offer.session, as: version)
          case .no: refused.insert(offer.session)
          case .lacks where round < Self.puts: again.append(offer)
          case .lacks(let artifacts):
            // What was erased after the offer was written down is in no offer that is made anew.
            if artifacts.allSatisfy(handle.has) {
              failed(offer.session, KeepsakeError.lost(artifacts, by: hub))
            } else {
              refused.insert(offer.session)
            }
          case .failed(let error):
            if error.mayPass { isUnanswered = true }
            failed(offer.session, error)
          }
        }
        showProgress()
        offers = again
        if offers.isEmpty { break }
      }
    }
  }

  /// Notes that the hub has an offer.
  mutating func taken(_ stamp: UUID, of session: UUID, as version: Int64) async throws {
    try await handle.write { [isShared] change in
      // Another program may have heard the answer first, and gone on.
      guard try change.db.offers.remove(stamp, of: session) else { return }
      // A shared store has not written it yet, and reads it as what others have told.
      if isShared { return }
      try change.db.hubSessions.put(.init(id: session, version: version, stamp: stamp))
    }
    report.sent.insert(session)
  }

  /// Puts the artifacts that the hub has not got.
  mutating func put(_ artifacts: [Artifact.ID]) async throws {
    if artifacts.isEmpty { return }
    // An artifact that was erased since is left out. The hub says that it lacks the artifact, and the offer is made anew.
    try await handle.put(try await hub.missing(of: artifacts), at: hub) { artifact in
      report.sentArtifacts += 1
      report.sentBytes += artifact.size
      showProgress()
    }
  }
}

extension HubOffer {
  /// Makes an offer of what was written down, with the artifacts of it that are here.
  init(_ row: OfferTable.Row, in handle: StoreHandle) throws {
    self.init(try SessionCommit(decoding: row.bytes), writtenDownAs: row, in: handle)
  }

  /// Makes an offer of a commit, with the artifacts of it that are here.
  init(_ commit: SessionCommit, writtenDownAs row: OfferTable.Row, in handle: StoreHandle) {
    let needed = Set(commit.records.flatMap(\.requiredArtifacts))
    let inputs = Set(commit.records.flatMap(\.artifacts)).subtracting(needed).filter(handle.has)
    self.init(
      session: row.session, base: row.base, stamp: row.stamp, bytes: row.bytes,
      artifacts: needed.union(inputs).sorted(), listing: HubListing(of: commit))
  }
}

extension OfferTable.Row {
  /// Writes down a commit for the place after a version, under a stamp of its own.
  ///
  /// - Throws: A ``KeepsakeError`` with the code `damaged` if the commit has the whole session and no store could take it over. A hub may remove
  ///   the older versions of a session for such a commit.
  init(_ commit: SessionCommit, after base: UUID?) throws {
    do { if commit.isWhole { try commit.requireLinks() } } catch let fault as CopyFault {
      throw KeepsakeError.untellable(commit.session, fault)
    }
    let place = CommitPlace(stamp: Entry.newID(), base: base)
    self.init(
      session: commit.session, base: base, stamp: place.stamp, bytes: try commit.encoded(at: place))
  }
}

extension KeepsakeError {
  /// The error for a session that is damaged here, so that the hub is not told of it.
  fileprivate static func untellable(_ session: UUID, _ fault: CopyFault) -> KeepsakeError {
    KeepsakeError(
      .damaged,
      "The hub is not told what changed in session \(session), because no other store could read it: \(fault.reason). Verify the store.",
      remedy: .verify, object: session.uuidString)
  }

  /// The error for artifacts that a hub loses as often as they are put there.
  static func lost(_ artifacts: [Artifact.ID], by hub: any Hub) -> KeepsakeError {
    KeepsakeError(
      .artifactMissing,
      "The hub at '\(hub.identity.address)' has not got the artifact \(artifacts.first.map { "\($0)" } ?? "") that a session needs, and this store has lost its bytes or the hub does not keep them. Verify the store.",
      remedy: .verify, object: artifacts.first?.description)
  }
}
