import KeepsakeFiles

/// A few reading connections that threads take in turns.
///
/// Reads never wait for the writer, nor the writer for them: each sees the database as it was at its
/// first statement.
public final class ReaderPool: Sendable {
  private struct State {
    /// The one that was used last comes first: its cache is warm.
    var resting: [Connection] = []
    /// Connections that exist, resting or out.
    var count = 0
    var isClosed = false
  }

  /// What a thread that wants to read is given.
  private enum Turn {
    case connection(Resting)
    case mayOpen
    case isClosed
  }

  /// Hands a connection from one thread to the next: the pool's lock is between them.
  private struct Resting: @unchecked Sendable {
    let db: Connection
  }

  private let limit: Int
  private let opening: @Sendable () throws -> Connection
  private let monitor = Monitor(State())

  /// A pool that opens up to so many connections, each when it is needed for the first time.
  public init(limit: Int, opening: @escaping @Sendable () throws -> Connection) {
    precondition(limit > 0, "A pool needs room for a connection")
    self.limit = limit
    self.opening = opening
  }

  deinit {
    close()
  }

  /// Runs the body in a transaction that reads: all its statements see the same snapshot.
  ///
  /// Blocks while all connections are out; so don't read inside a read. The connection is good only
  /// inside the body. Throws ``ReaderPoolError/closed`` after ``close()``.
  public func read<R>(_ body: (Connection) throws -> R) throws -> R {
    try readEach { db in
      try db.prepare("BEGIN DEFERRED").run()
      let result = try body(db)
      try db.prepare("COMMIT").run()
      return result
    }
  }

  /// Runs the body without a transaction: each of its statements sees a snapshot of its own.
  ///
  /// For a read of one row: to begin and to end a transaction are two statements more, which cost as much as the row.
  public func readEach<R>(_ body: (Connection) throws -> R) throws -> R {
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

  /// Opens a connection like the pool's, for a thread that keeps it and closes it.
  public func makeConnection() throws -> Connection { try opening() }

  /// Closes the connections that nobody reads with; they are opened again when they are needed.
  public func rest() {
    let resting = monitor.withLock { state in
      let resting = state.resting.map { Resting(db: $0) }
      state.resting = []
      state.count -= resting.count
      return resting
    }
    monitor.broadcast()
    for connection in resting { connection.db.close() }
  }

  /// Closes the connections, those that are out when they come back. May be called again.
  public func close() {
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

  /// Ends a read that failed; a connection that can't end its transaction is not used again.
  private func end(_ db: Connection, after error: any Error) {
    if (error as? SQLiteError)?.isIndexUnfinished == true {
      // They all see the same index. Those that are opened once it is let go of see to it that there is one.
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

  /// Makes room for another connection in the place of one that is gone.
  private func forget() {
    monitor.withLock { $0.count -= 1 }
    monitor.signal()
  }
}
