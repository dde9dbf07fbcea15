import KeepsakeFiles

/// A pool of reading connections that threads take in turns.
///
/// Reads and the writer never wait for each other: a read sees the database as it was at the read's first statement.
package final class ReaderPool: Sendable {
  /// The state of the pool, under the monitor's lock.
  private struct State {
    /// The idle connections; the one that was used last is taken first, because its cache is warm.
    var resting: [Connection] = []
    /// The number of open connections, idle or in use.
    var count = 0
    var isClosed = false
  }

  /// The answer to a thread that wants to read.
  private enum Turn {
    case connection(Resting)
    case mayOpen
    case isClosed
  }

  /// Passes a connection from one thread to the next, which is safe because the pool's lock is taken in between.
  private struct Resting: @unchecked Sendable {
    let db: Connection
  }

  private let limit: Int
  private let opening: @Sendable () throws -> Connection
  private let monitor = Monitor(State())

  /// Creates a pool; connections are opened only when they are needed.
  ///
  /// - Parameters:
  ///   - limit: The most connections that are open at a time.
  ///   - opening: A closure that opens a connection.
  package init(limit: Int, opening: @escaping @Sendable () throws -> Connection) {
    precondition(limit > 0, "A pool needs room for a connection")
    self.limit = limit
    self.opening = opening
  }

  deinit {
    close()
  }

  /// Runs the body in a read transaction, in which all statements see the same snapshot.
  ///
  /// Blocks while all connections are in use, so a read must not start another read. The connection is valid only inside the
  /// body.
  /// - Throws: ``ReaderPoolError/closed`` after ``close()``, or an error of opening, of SQLite, or of the body.
  package func read<R>(_ body: (Connection) throws -> R) throws -> R {
    try readEach { db in
      try db.prepare("BEGIN DEFERRED").run()
      let result = try body(db)
      try db.prepare("COMMIT").run()
      return result
    }
  }

  /// Runs the body without a transaction, so that each statement sees a snapshot of its own.
  ///
  /// This suits the read of a single row: beginning and ending a transaction costs as much as reading the row. Blocks and
  /// throws like ``read(_:)``.
  package func readEach<R>(_ body: (Connection) throws -> R) throws -> R {
    let db = try checkOut()
    do {
      let result = try body(db)
      giveBack(db)
      return result
    } catch {
      end(db, after: error)
      throw error
    }
  }

  /// Opens a connection outside the pool, for a thread that keeps the connection and closes it.
  package func makeConnection() throws -> Connection { try opening() }

  /// Closes all idle connections; the pool opens new ones when they are needed.
  package func rest() {
    let resting = monitor.withLock { state in
      let resting = state.resting.map { Resting(db: $0) }
      state.resting = []
      state.count -= resting.count
      return resting
    }
    monitor.broadcast()
    for connection in resting { connection.db.close() }
  }

  /// Closes the pool: idle connections now, and connections in use when they come back. May be called again.
  package func close() {
    let resting = monitor.withLock { state in
      state.isClosed = true
      let resting = state.resting.map { Resting(db: $0) }
      state.resting = []
      state.count -= resting.count
      return resting
    }
    monitor.broadcast()
    for connection in resting { connection.db.close() }
  }
}

extension ReaderPool {
  private func checkOut() throws -> Connection {
    let limit = limit
    let turn: Turn? = monitor.wait { state in
      if state.isClosed { return .isClosed }
      if let db = state.resting.popLast() { return .connection(Resting(db: db)) }
      guard state.count < limit else { return nil }
      state.count += 1
      return .mayOpen
    }
    switch turn {
    case .connection(let resting): return resting.db
    case .mayOpen:
      do {
        return try opening()
      } catch {
        forget()
        throw error
      }
    case .isClosed, nil: throw ReaderPoolError.closed
    }
  }

  /// Ends a read that failed, and closes a connection that can't end its transaction.
  private func end(_ db: Connection, after error: any Error) {
    if (error as? SQLiteError)?.isIndexUnfinished == true {
      // All connections share the same index. Once all are closed, the next one to open makes the index anew.
      db.close()
      forget()
      return rest()
    }
    do {
      if db.isInTransaction { try db.prepare("ROLLBACK").run() }
      giveBack(db)
    } catch {
      db.close()
      forget()
    }
  }

  private func giveBack(_ db: consuming Connection) {
    var leaving: Resting? = Resting(db: db)
    monitor.withLock { state in
      if state.isClosed {
        state.count -= 1
      } else if let resting = leaving.take() {
        state.resting.append(resting.db)
      }
    }
    leaving?.db.close()
    monitor.signal()
  }

  /// Makes room in the pool for a new connection after one was closed.
  private func forget() {
    monitor.withLock { $0.count -= 1 }
    monitor.signal()
  }
}
