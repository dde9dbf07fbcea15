extension WriterLoop {
  /// Runs requests in one transaction, or, when that is lost, each in its own; answers all.
  func run(_ batch: [WriterRequest]) {
    if batch.count == 1 {
      runAlone(batch[0])
    } else if !runTogether(batch) {
      queue.count { $0.reruns += batch.count }
      for request in batch { runAlone(request) }
    }
  }

  /// Runs requests in one transaction, each in a savepoint, so that one that fails takes back only
  /// its own work. False when the transaction is lost, and nobody is answered.
  ///
  /// After a full disk, an I/O error and some others SQLite rolls the whole transaction back by
  /// itself: "it is recommended that applications respond to the errors listed above by explicitly
  /// issuing a ROLLBACK" (lang_transaction.html). Even an error of a request's own may then have
  /// come from work that is gone now, so all of them run again.
  private func runTogether(_ batch: [WriterRequest]) -> Bool {
    do {
      try begin()
    } catch {
      answer(batch, error)
      return true
    }
    let transaction = Transaction(db)
    var errors: [(any Error)?] = []
    errors.reserveCapacity(batch.count)
    do {
      for request in batch {
        errors.append(try runInSavepoint(request, transaction))
      }
      try db.prepare("COMMIT").run()
    } catch {
      rollBack()
      return false
    }
    for action in transaction.actions { action() }
    queue.count {
      $0.commits += 1
      $0.requests += batch.count
      $0.largestBatch = max($0.largestBatch, batch.count)
    }
    for (request, error) in zip(batch, errors) { request.finish(error) }
    return true
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
      transaction.keepActions(actions)
      return error
    }
    // Fails when the body kept an error to itself that had ended the transaction.
    try db.prepare("RELEASE request").run()
    guard db.isInTransaction else { throw WriterError.transactionLost }
    return nil
  }

  private func runAlone(_ request: WriterRequest) {
    do {
      try runAlone { try request.perform($0) }
    } catch {
      return request.finish(error)
    }
    request.finish(nil)
  }

  /// Runs a request that has a transaction for itself.
  func runAlone<R>(_ body: (Transaction) throws -> R) throws -> R {
    let transaction = Transaction(db)
    let result: R
    do {
      result = try inTransaction { try body(transaction) }
    } catch {
      queue.count { $0.requests += 1 }
      throw error
    }
    for action in transaction.actions { action() }
    queue.count {
      $0.commits += 1
      $0.requests += 1
      $0.largestBatch = max($0.largestBatch, 1)
    }
    return result
  }

  /// Runs the body in a transaction and commits it; on any error nothing of it is left.
  func inTransaction<R>(_ body: () throws -> R) throws -> R {
    try begin()
    do {
      let result = try body()
      guard db.isInTransaction else { throw WriterError.transactionLost }
      try db.prepare("COMMIT").run()
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  /// Runs a request that wants the connection for itself.
  func runExclusively(_ request: WriterRequest) {
    var failure: (any Error)?
    do {
      try request.perform(Transaction(db))
      precondition(!db.isInTransaction, "A transaction was left open")
    } catch {
      failure = error
      rollBack()
    }
    queue.count { $0.requests += 1 }
    request.finish(failure)
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

  private func answer(_ batch: [WriterRequest], _ error: any Error) {
    queue.count { $0.requests += batch.count }
    for request in batch { request.finish(error) }
  }
}
