import CKeepsakeSQLite
import KeepsakeFiles

/// An SQL statement, ready to be bound and run, which goes back to the connection's cache when it is released.
///
/// A statement belongs to the thread of its connection. Values are bound and columns are read in order; by number, parameters
/// count from 1 and columns from 0, as in SQLite.
///
/// Values stay bound from one run to the next. A statement from the cache may still hold values of an earlier use, so bind
/// every parameter.
package struct Statement: ~Copyable {
  let prepared: PreparedStatement

  init(checkingOut prepared: PreparedStatement) {
    prepared.isOut = true
    self.prepared = prepared
  }

  deinit {
    prepared.giveBack()
  }

  /// The statement's SQL, with its placeholders.
  package var sql: String {
    unsafe sqlite3_sql(prepared.handle).map { unsafe String(cString: $0) } ?? ""
  }

  /// The number of parameters of the statement.
  package var parameterCount: Int {
    unsafe Int(sqlite3_bind_parameter_count(prepared.handle))
  }

  /// The number of columns in a row of the result; 0 for a statement without a result.
  package var columnCount: Int {
    unsafe Int(sqlite3_column_count(prepared.handle))
  }
}

// MARK: - Running

extension Statement {
  /// Runs to the next row.
  ///
  /// After an error the statement is reset, so that it holds no lock.
  /// - Returns: Whether there is a row; false at the end.
  /// - Throws: The error of SQLite, or of a binding that failed.
  package func step() throws(SQLiteError) -> Bool {
    guard prepared.bindingFailure == SQLITE_OK else { throw bindingError() }
    prepared.beginAgain()
    switch unsafe sqlite3_step(prepared.handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: return try stepAgain()
    }
  }

  /// Runs the first step again while the log's index is unfinished; only the first step can fail so, before any row.
  private func stepAgain() throws(SQLiteError) -> Bool {
    var pauses = Connection.pausesForIndex
    while true {
      let error = failure()
      guard error.isIndexUnfinished, pauses.wait() else { throw error }
      switch unsafe sqlite3_step(prepared.handle) {
      case SQLITE_ROW: return true
      case SQLITE_DONE: return false
      default: continue
      }
    }
  }

  /// Runs to the end, ignoring rows, and resets the statement for the next binding.
  package func run() throws(SQLiteError) {
    while try step() {}
    reset()
  }

  /// Runs to the end with bytes that are bound without a copy, and unbinds them afterwards.
  package func run(
    binding bytes: [UInt8], at index: Int? = nil, as storage: Storage = .blob
  ) throws(SQLiteError) {
    unsafe try run(binding: bytes.span.bytes, at: index, as: storage)
  }

  /// Runs to the end with a span that is bound without a copy, and unbinds it afterwards.
  package func run(
    binding span: RawSpan, at index: Int? = nil, as storage: Storage = .blob
  ) throws(SQLiteError) {
    let outcome: Result<Void, SQLiteError> = unsafe span.withUnsafeBytes { bytes in
      unsafe bind(bytes, at: index, as: storage, copied: false)
      let place = index ?? Int(prepared.bound)
      do throws(SQLiteError) {
        try run()
        bindNull(at: place)
        return .success(())
      } catch {
        reset()
        bindNull(at: place)
        return .failure(error)
      }
    }
    try outcome.get()
  }

  /// Ends the current run, so that the statement can be bound and run again; values stay bound.
  package func reset() {
    // The result is the error of the last step, which was thrown already.
    _ = unsafe sqlite3_reset(prepared.handle)
    prepared.bound = 0
    prepared.read = 0
  }

  private func failure() -> SQLiteError {
    let error = unsafe SQLiteError.last(of: sqlite3_db_handle(prepared.handle), sql: sql)
    reset()
    return error
  }

  private func bindingError() -> SQLiteError {
    .standing(for: prepared.bindingFailure, sql: sql)
  }
}

// MARK: - What it cost

extension Statement {
  /// A counter of the work that SQLite did for a statement.
  package enum Work: Sendable {
    /// Rows passed in scans of whole tables, where an index is missing.
    case scannedRows
    /// Sorts, where an index would have given the order.
    case sorts
    /// Rows put into indexes that were made for one run.
    case indexedRows
    /// Steps of SQLite's virtual machine.
    case steps
    /// Times that SQLite compiled the statement again.
    case recompilations
    /// Runs that were started.
    case runs

    var code: Int32 {
      switch self {
      case .scannedRows: SQLITE_STMTSTATUS_FULLSCAN_STEP
      case .sorts: SQLITE_STMTSTATUS_SORT
      case .indexedRows: SQLITE_STMTSTATUS_AUTOINDEX
      case .steps: SQLITE_STMTSTATUS_VM_STEP
      case .recompilations: SQLITE_STMTSTATUS_REPREPARE
      case .runs: SQLITE_STMTSTATUS_RUN
      }
    }
  }

  /// Returns and resets a counter, which starts when the statement is compiled.
  package func takeCount(of work: Work) -> Int {
    unsafe Int(sqlite3_stmt_status(prepared.handle, work.code, 1))
  }
}
