#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

extension StoreHandle {
  /// Goes on with a removal until all rows are gone, whatever happens to the caller's task; gives the artifacts whose files
  /// are still there.
  func finish(_ first: RemovalStep) async throws -> (removed: Removal, files: [SHA256Digest]) {
    var removed = first.removed
    var files = first.unused.digests
    var targets = first.next
    while let target = targets.popLast() {
      let step = try await removing { try RemovalStep(target, limit: $0, in: $1) }
      removed.add(step.removed)
      files += step.unused.digests
      targets += step.next
    }
    return (removed, files)
  }

  /// Keeps what this store does when nobody writes from removing what the body does.
  func leavingRows<Result>(_ removal: () async throws -> Result) async throws -> Result {
    guard let clearing = store.clearing else { return try await removal() }
    return try await clearing.leavingRows(removal)
  }

  /// Takes a step of a removal: with fewer rows where the disk is too full for the log of many.
  func removing<Result: Sendable>(
    _ body: @escaping @Sendable (_ limit: Int, Change) throws -> Result
  ) async throws -> Result {
    var limit = RemovalStep.limit
    while true {
      do { return try await tidy { [limit] in try body(limit, $0) } } catch let error
        as KeepsakeError
        where error.code == .diskFull && limit > 1
      { limit = max(1, limit / 16) }
    }
  }

  /// Removes what is left of removed rows: the files of artifacts, words in the search index, and pages of the log.
  /// - Parameters:
  ///   - files: The artifacts that were removed.
  ///   - patience: How long a backup or an export is waited for.
  ///   - indexPieces: How many pieces of the search index are rewritten at the most.
  /// - Returns: Whether nothing is left. Whatever is left goes when nobody writes, with the next sweep, or once the store
  ///   is opened for writing again.
  func removeTraces(
    files: [SHA256Digest], patience: Duration = .zero, indexPieces: Int
  ) async throws -> Bool {
    let areFilesGone = try await removeFiles(of: files, patience: patience)
    let areWordsGone = try await rewriteIndex(pieces: indexPieces)
    let isLogCut = try await cutLog()
    return areFilesGone && areWordsGone && isLogCut
  }

  private func rewriteIndex(pieces: Int) async throws -> Bool {
    var done = 0
    while done < pieces {
      guard try await tidy({ try Trace.rewriteIndex(in: $0.db) }) else { return true }
      done += 1
    }
    return try read { try !Trace.index.isMarked(in: $0) }
  }

  private static let leastCuttingAttempts = 10

  /// Checkpoints SQLite's log and cuts it to nothing, because it has pages as they were before a change. The caller's
  /// cancellation does not stop this.
  /// - Returns: False where a reader kept the log in use until the time was up.
  func cutLog() async throws -> Bool {
    let handle = self
    return try await Task {
      let deadline = Instant.now.advanced(by: .seconds(1))
      var attempts = 1
      while try await !handle.exclusively(isTidying: true, { db in try Trace.cutLog(in: db) }) {
        // On a busy machine a single attempt may take all of the time.
        guard Instant.now < deadline || attempts < Self.leastCuttingAttempts else { return false }
        attempts += 1
        // Others write meanwhile.
        try await Task.sleep(for: .milliseconds(20))
      }
      return true
    }.value
  }
}

// MARK: - Leavings of others

extension StoreHandle {
  /// Removes what is left of deletions, of imports and of restorings that did not come to their end, but for what the
  /// log has of them.
  func finishClearing() async throws -> Removal {
    try await giveUpDead()
    var removed = try await leavingRows {
      var removed = Removal()
      while let target = try read({ try Clearing.next(in: $0) }) {
        removed.add(try await finish(RemovalStep(next: [target])).removed)
      }
      return removed
    }
    removed.add(try await removeLeftFiles())
    _ = try await rewriteIndex(pieces: .max)
    return removed
  }

  /// Makes a session with an id that the caller chose. Where a session that is being removed still has that id, this
  /// first waits until that is gone.
  ///
  /// - Parameters:
  ///   - id: The session's id.
  ///   - origin: The session from which it forks; nil for none.
  ///   - body: The change that makes the session.
  func makeSession(
    _ id: UUID, from origin: UUID? = nil, _ body: @escaping @Sendable (Change) throws -> Session
  ) async throws -> Session {
    func make() async throws -> Session {
      let made = try await write(in: id, and: origin, body)
      guard let sharing = store.sharing else { return made }
      // The session was written again after the hub took it, so its number may be another one than in the result. If the disk was
      // full then, the session is read from the hub now.
      if try read({ try Store.number(of: id, in: $0) }) == nil {
        try await sharing.catchUp(id)
        if let origin, try await sharing.takeBack(id, of: origin) {
          throw KeepsakeError.noSession(origin)
        }
      }
      // The origin of a fork may have been deleted at the same time by somebody who did not know the fork. The fork is made, so
      // a hub that is out of reach now is no error.
      if origin != nil { _ = try? await sharing.takeOverOrigins(of: id) }
      return try read { db in try find(id, in: db) }
    }
    do { return try await make() } catch let error as KeepsakeError where error.code == .conflict {
      guard try await finishRemoving([id]) else { throw error }
      return try await make()
    }
  }

  /// Finds a session that can be opened.
  func find(_ id: UUID, in db: Tables) throws -> Session {
    guard let number = try Store.number(of: id, in: db) else { throw KeepsakeError.noSession(id) }
    return Session(id: id, number: number, lineage: try Lineage(of: number, in: db), handle: self)
  }

  /// Removes what is left of some sessions, and of the forks that still keep them, so that they can be taken in again;
  /// says whether there was any of it.
  @discardableResult
  func finishRemoving(_ ids: [UUID]) async throws -> Bool {
    try await giveUpDead()
    let left = try read { db in
      var left: Set<Int64> = []
      for id in ids { left.formUnion(try db.clearing.sessions(leftOf: id)) }
      return left
    }
    // The session that was made last goes first: forks go before the sessions that they were forked from.
    try await finishAbandoning(left.sorted().map { .session($0) })
    return !left.isEmpty
  }

  /// Marks what was restored or imported by open stores that ended in the middle, so that it goes.
  func giveUpDead() async throws {
    for owner in try read({ try $0.clearing.owners() }) where try !store.liveness.isAlive(owner) {
      try await tidy { change in try Clearing.giveUp(owner, in: change) }
    }
  }

  /// Undoes an import that failed: the session that it made goes; what it added to another stays, as whole entries.
  func abandonImport(_ progress: ImportProgress) async throws {
    guard let source = progress.source, let owner = progress.owner else { return }
    let next = try await tidy { change in
      try Clearing.giveUp(source: source, of: owner.bytes, in: change)
    }
    try await finishAbandoning(next)
  }

  /// Undoes a restoring that failed: the sessions that it made go.
  /// - Parameter sessions: Their numbers, forks before what they were forked from.
  func abandonRestoration(of sessions: [Int64], by owner: UUID) async throws {
    for start in stride(from: 0, to: sessions.count, by: 256) {
      try await tidy { change in
        let some = sessions[start..<min(sessions.count, start + 256)]
        try Clearing.giveUp(restored: some, of: owner.bytes, in: change.db)
      }
    }
    try await finishAbandoning(sessions.reversed().map { .session($0) })
  }

  private func finishAbandoning(_ targets: [RemovalStep.Target]) async throws {
    let files = try await finish(RemovalStep(next: targets)).files
    _ = try await removeFiles(of: files)
  }
}

extension Liveness {
  /// Tells whether the open store still runs whose id stands in a row. Bytes that are no id belong to nobody.
  func isAlive(_ owner: [UInt8]) throws -> Bool {
    try UUID(bytes: owner).map { try isAlive($0) } ?? false
  }
}
