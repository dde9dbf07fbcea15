import KeepsakeFiles

extension WriterLoop {
  /// Runs requests in one transaction, or, when that is lost, each in its own.
  func run(_ batch: [WriterRequest]) {
    if batch.count == 1 { return runAlone(batch[0]) }
    let rest = runTogether(batch)
    if rest.isEmpty { return }
    queue.count { $0.reruns += rest.count }
    for request in rest { runAlone(request) }
  }

  /// Runs requests in one transaction, each in a savepoint, so that one that fails takes back only
  /// its own work. Gives those that are to run again, because the transaction is lost.
  ///
  /// After a full disk, an I/O error and some others SQLite rolls the whole transaction back by
  /// itself: "it is recommended that applications respond to the errors listed above by explicitly
  /// issuing a ROLLBACK" (lang_transaction.html). Even an error of a request's own may then have
  /// come from work that is gone now, so all of them run again.
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
      // Those who asked for it don't run again: a sync that failed may succeed the next time though
      // what it was for is lost.
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

  /// Runs one request of several, and gives the error that is its own; throws when the transaction
  /// is lost.
  private func runInSavepoint(
    _ request: WriterRequest, _ transaction: Transaction
  ) throws -> (any Error)? {
    let actions = transaction.actions.count
    try db.prepare("SAVEPOINT request").run()
    do {
      try request.perform(transaction)
    } catch {
      // Where a full disk ends only the statement, the others' work may still be what filled it.
      let isFull = (error as? SQLiteError)?.isFull ?? false
      guard db.isInTransaction, !isFull else { throw error }
      try db.prepare("ROLLBACK TO request").run()
      try db.prepare("RELEASE request").run()
      transaction.dropRequest(keepingActions: actions)
      return error
    }
    // Fails when the body kept an error to itself that had ended the transaction.
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

  /// Runs a request that has a transaction for itself.
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

  /// Runs the body in a transaction, with what it asks for before the commit and after it; on any error
  /// nothing of it is left.
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

  /// Runs a request that wants the connection for itself.
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

  /// Runs the work of a request; where the disk is full and the request frees space, once more with the room that is kept
  /// for that, all under the lock, so that no other writer takes it.
  ///
  /// What is in the log goes into the database first: then the log begins anew, and what it grew to is free as well.
  private func lendingReserve(to request: WriterRequest, _ work: () throws -> Void) throws {
    do { try work() } catch {
      guard request.isTidying, Self.isFull(error) else { throw error }
      let isLent = configuration.reserve?.release() ?? false
      defer {
        // So that there is room to be kept again. Should it fail, nothing is lost.
        _ = try? db.checkpoint(.truncate, waitingMilliseconds: Self.lendingWaitMilliseconds)
        if isLent { configuration.reserve?.renew() }
      }
      // Where not even that fits, the first error is the one to tell.
      guard
        (try? db.checkpoint(.truncate, waitingMilliseconds: Self.lendingWaitMilliseconds)) != nil
      else { throw error }
      try work()
    }
  }

  /// How long a log that is to be cut waits for its readers: it is that or no room.
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
    // Longer than that it grows only while readers, or several writers, keep it from beginning anew.
    if db.walPages > 2 * CheckpointPolicy.interval { db.lengthenLog() }
  }

  private func rollBack() {
    guard db.isInTransaction else { return }
    do {
      try db.prepare("ROLLBACK").run()
    } catch {
      // A rollback has nothing to write. Should it fail all the same, the next BEGIN fails, because
      // a transaction is open, and its error goes to whoever asked.
    }
  }

  private func failed(_ batch: [WriterRequest], _ error: any Error) {
    queue.count { $0.requests += batch.count }
    for request in batch { ran(request, error) }
  }
}
