import KeepsakeFiles

extension WriterLoop {
  /// Runs requests in one transaction, or, if the transaction is lost, each in a transaction of its own.
  func run(_ batch: [WriterRequest]) {
    if batch.count == 1 { return runAlone(batch[0]) }
    let rest = runTogether(batch)
    if rest.isEmpty { return }
    queue.count { $0.reruns += rest.count }
    for request in rest { runAlone(request) }
  }

  /// Runs requests in one transaction, each in a savepoint, so that a failing request undoes only its own work.
  ///
  /// After a full disk, an I/O error and some other errors SQLite rolls the whole transaction back: "it is recommended that
  /// applications respond to the errors listed above by explicitly issuing a ROLLBACK" (lang_transaction.html). Even an error
  /// of a single request may then have come from work that is undone, so all requests run again.
  /// - Returns: The requests that must run again because the transaction is lost.
  private func runTogether(_ batch: [WriterRequest]) -> [WriterRequest] {
    do {
      try begin()
    } catch {
      failed(batch, error)
      return []
    }
    let transaction = Transaction(db)
    var errors: [(any Error)?] = []
    errors.reserveCapacity(batch.count)
    do {
      for (number, request) in batch.enumerated() {
        transaction.begin(request: number)
        errors.append(try runInSavepoint(request, transaction))
      }
      try transaction.conditions.meet()
      try db.commit()
    } catch let unmet as CommitConditions.Unmet {
      rollBack()
      // The requests that asked for a failed action don't run again: a second sync may succeed although the data of the first
      // is lost.
      failed(unmet.requests.sorted().map { batch[$0] }, unmet.cause)
      return batch.indices.filter { !unmet.requests.contains($0) }.map { batch[$0] }
    } catch {
      rollBack()
      return batch
    }
    for action in transaction.actions { action() }
    queue.count {
      $0.commits += 1
      $0.requests += batch.count
      $0.largestBatch = max($0.largestBatch, batch.count)
    }
    for (request, error) in zip(batch, errors) { ran(request, error) }
    return []
  }

  /// Runs one of several requests in a savepoint, and returns the request's own error; throws when the transaction is lost.
  private func runInSavepoint(
    _ request: WriterRequest, _ transaction: Transaction
  ) throws -> (any Error)? {
    let actions = transaction.actions.count
    try db.prepare("SAVEPOINT request").run()
    do {
      try request.perform(transaction)
    } catch {
      // If a full disk fails only the statement, the work of other requests may have filled it, so the whole transaction is
      // lost.
      let isFull = (error as? SQLiteError)?.isFull ?? false
      guard db.isInTransaction, !isFull else { throw error }
      try db.prepare("ROLLBACK TO request").run()
      try db.prepare("RELEASE request").run()
      transaction.dropRequest(keepingActions: actions)
      return error
    }
    // Releasing fails if the body caught an error that had ended the transaction.
    try db.prepare("RELEASE request").run()
    guard db.isInTransaction else { throw WriterError.transactionLost }
    return nil
  }

  private func runAlone(_ request: WriterRequest) {
    do {
      try lendingReserve(to: request) { try runAlone { try request.perform($0) } }
      ran(request, nil)
    } catch {
      ran(request, error)
    }
  }

  /// Runs a request in a transaction of its own.
  func runAlone(_ body: (Transaction) throws -> Void) throws {
    do {
      try inTransaction(body)
    } catch {
      queue.count { $0.requests += 1 }
      throw error
    }
    queue.count {
      $0.commits += 1
      $0.requests += 1
      $0.largestBatch = max($0.largestBatch, 1)
    }
  }

  /// Runs the body in a transaction, with the actions that the body adds before and after the commit; an error undoes all.
  func inTransaction(_ body: (Transaction) throws -> Void) throws {
    try begin()
    let transaction = Transaction(db)
    do {
      try body(transaction)
      guard db.isInTransaction else { throw WriterError.transactionLost }
      try transaction.conditions.meet()
      try db.commit()
    } catch {
      rollBack()
      throw (error as? CommitConditions.Unmet)?.cause ?? error
    }
    for action in transaction.actions { action() }
  }

  /// Runs the body in a transaction, and rolls all of it back, without its actions.
  func rehearse<R>(_ body: (Transaction) throws -> R) throws -> R {
    try begin()
    defer { rollBack() }
    return try body(Transaction(db))
  }

  /// Runs a request that needs the connection outside a transaction.
  func runExclusively(_ request: WriterRequest) {
    var failure: (any Error)?
    do {
      try lendingReserve(to: request) {
        do {
          try request.perform(Transaction(db))
          precondition(!db.isInTransaction, "A transaction was left open")
        } catch {
          rollBack()
          throw error
        }
      }
    } catch { failure = error }
    queue.count { $0.requests += 1 }
    ran(request, failure)
  }

  /// Runs the work of a request, and on a full disk a second time with the reserve if the request frees space.
  ///
  /// Both runs are under the same lock, so that no other writer takes the room. Before the second run the log is copied into
  /// the database and cut, which frees the log's room as well.
  private func lendingReserve(to request: WriterRequest, _ work: () throws -> Void) throws {
    do { try work() } catch {
      guard request.isTidying, Self.isFull(error) else { throw error }
      let isLent = configuration.reserve?.release() ?? false
      defer {
        // Cutting the log makes room for the reserve. A failure loses nothing.
        _ = try? db.checkpoint(.truncate, waitingMilliseconds: Self.lendingWaitMilliseconds)
        if isLent { configuration.reserve?.renew() }
      }
      // If even this checkpoint fails, the first error is reported.
      guard
        (try? db.checkpoint(.truncate, waitingMilliseconds: Self.lendingWaitMilliseconds)) != nil
      else { throw error }
      try work()
    }
  }

  /// How long cutting the log waits for readers; without it there may be no room at all.
  private static let lendingWaitMilliseconds: Int32 = 1000

  private static func isFull(_ error: any Error) -> Bool {
    (error as? SQLiteError)?.isFull ?? ((error as? FileError)?.code == .noSpace)
  }

  private func begin() throws {
    try db.prepare("BEGIN IMMEDIATE").run()
    do {
      try configuration.prepare(db)
      guard db.isInTransaction else { throw WriterError.transactionLost }
    } catch {
      rollBack()
      throw error
    }
    // A log longer than this grows with each commit, because readers or several writers keep it from restarting.
    if db.walPages > 2 * CheckpointPolicy.interval { db.lengthenLog() }
  }

  private func rollBack() {
    guard db.isInTransaction else { return }
    do {
      try db.prepare("ROLLBACK").run()
    } catch {
      // A rollback writes nothing. If it fails nevertheless, the next BEGIN fails because a transaction is open, and the next
      // request gets that error.
    }
  }

  private func failed(_ batch: [WriterRequest], _ error: any Error) {
    queue.count { $0.requests += batch.count }
    for request in batch { ran(request, error) }
  }
}
