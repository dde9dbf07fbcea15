import CKeepsakeSQLite

extension Connection {
  /// Whether a transaction is open; SQLite ends one by itself after some errors.
  package var isInTransaction: Bool {
    unsafe handle != nil && sqlite3_get_autocommit(handle) == 0
  }

  /// The rowid of the last row that this connection inserted.
  package var lastInsertedRow: Int64 {
    unsafe handle == nil ? 0 : sqlite3_last_insert_rowid(handle)
  }

  /// How many rows the last INSERT, UPDATE or DELETE changed.
  package var changedRows: Int {
    unsafe handle == nil ? 0 : Int(sqlite3_changes(handle))
  }

  /// How many rows this connection has changed since it was opened, including rows inside of full-text indexes.
  package var totalChangedRows: Int {
    unsafe handle == nil ? 0 : Int(sqlite3_total_changes(handle))
  }

  /// A number that differs after another connection, in this or another process, has committed.
  ///
  /// - Throws: The error of SQLite while running the statement.
  package func dataVersion() throws(SQLiteError) -> Int64 {
    let statement = try prepare("PRAGMA data_version")
    guard try statement.step() else { return 0 }
    return statement.int64()
  }

  /// The data version that this connection saw last, without running a statement; current while a statement reads.
  package var seenDataVersion: UInt32 {
    var version: UInt32 = 0
    guard unsafe handle != nil else { return version }
    _ = unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }

  /// Runs a query and returns the first column of the first row as an integer; nil without a row, or for NULL.
  package func integer(_ sql: StaticString) throws(SQLiteError) -> Int64? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.optionalInt64() : nil
  }

  /// Runs a query and returns the first column of the first row as text; nil without a row, or for NULL.
  package func text(_ sql: StaticString) throws(SQLiteError) -> String? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.optionalText() : nil
  }

  /// A counter that SQLite keeps for each connection.
  package enum Counter: Sendable {
    /// Pages found in the connection's cache.
    case cacheHits
    /// Pages read from a file.
    case cacheMisses
    /// Pages written to a file.
    case pagesWritten
    /// Bytes of memory in the page cache.
    case cacheBytes
    /// Bytes of memory in prepared statements.
    case statementBytes

    var code: Int32 {
      switch self {
      case .cacheHits: SQLITE_DBSTATUS_CACHE_HIT
      case .cacheMisses: SQLITE_DBSTATUS_CACHE_MISS
      case .pagesWritten: SQLITE_DBSTATUS_CACHE_WRITE
      case .cacheBytes: SQLITE_DBSTATUS_CACHE_USED
      case .statementBytes: SQLITE_DBSTATUS_STMT_USED
      }
    }
  }

  /// Returns the present value of a counter; counters of pages start when the connection is opened.
  package func count(of counter: Counter) -> Int {
    guard unsafe handle != nil else { return 0 }
    var now: Int32 = 0
    var highest: Int32 = 0
    _ = unsafe sqlite3_db_status(handle, counter.code, &now, &highest, 0)
    return Int(now)
  }
}
