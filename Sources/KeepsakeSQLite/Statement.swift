import CKeepsakeSQLite
import KeepsakeFiles

/// One SQL statement, ready to be bound and run; when it goes away it rests in its connection's cache.
///
/// It belongs to the thread that its connection is confined to. Values are bound, and columns read, in their order; where
/// one is named instead, parameters count from 1 and columns from 0, as in SQLite.
///
/// Values stay bound from one run to the next. A statement that comes out of the cache may still
/// hold the values of its earlier use: bind every parameter.
public struct Statement: ~Copyable {
  let prepared: PreparedStatement

  init(checkingOut prepared: PreparedStatement) {
    prepared.isOut = true
    self.prepared = prepared
  }

  deinit {
    prepared.giveBack()
  }

  /// The statement's SQL, with its placeholders.
  public var sql: String {
    unsafe sqlite3_sql(prepared.handle).map { unsafe String(cString: $0) } ?? ""
  }

  /// How many parameters the statement has.
  public var parameterCount: Int {
    unsafe Int(sqlite3_bind_parameter_count(prepared.handle))
  }

  /// How many columns a row of the result has; 0 for a statement that gives none.
  public var columnCount: Int {
    unsafe Int(sqlite3_column_count(prepared.handle))
  }
}

// MARK: - Running

extension Statement {
  /// Runs to the next row; true when there is one, false at the end.
  ///
  /// After an error the statement is reset, so that it holds no lock.
  public func step() throws(SQLiteError) -> Bool {
    guard prepared.bindingFailure == SQLITE_OK else { throw bindingError() }
    prepared.beginAgain()
    switch unsafe sqlite3_step(prepared.handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: return try stepAgain()
    }
  }

  /// Begins again where only the moment was wrong; the first step, the one that can be refused so, has given nothing.
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

  /// Runs to the end, passing over rows, and resets: the statement is ready to be bound again.
  public func run() throws(SQLiteError) {
    while try step() {}
    reset()
  }

  /// Runs to the end with bytes that are bound in place, without a copy, and unbound afterwards.
  public func run(
    binding bytes: [UInt8], at index: Int? = nil, as storage: Storage = .blob
  ) throws(SQLiteError) {
    unsafe try run(binding: bytes.span.bytes, at: index, as: storage)
  }

  /// Runs to the end with a span that is bound in place, without a copy, and unbound afterwards.
  public func run(
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
  public func reset() {
    // The result is the error of the last step, which was thrown then.
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
  /// A counter of the work that a statement has done.
  public enum Work: Sendable {
    /// Rows passed in scans of whole tables, where an index is missing.
    case scannedRows
    /// Sorts, where an index would have given the order.
    case sorts
    /// Rows put into indexes that were made for one run.
    case indexedRows
    /// Steps of SQLite's virtual machine.
    case steps
    /// Times that the statement was compiled again.
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

  /// How much of a kind of work the statement has done since it was compiled or last asked.
  public func takeCount(of work: Work) -> Int {
    unsafe Int(sqlite3_stmt_status(prepared.handle, work.code, 1))
  }
}
