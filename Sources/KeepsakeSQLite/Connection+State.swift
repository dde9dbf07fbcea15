import CKeepsakeSQLite

extension Connection {
  /// Whether a transaction is open; SQLite ends one by itself after some errors.
  public var isInTransaction: Bool {
    unsafe handle != nil && sqlite3_get_autocommit(handle) == 0
  }

  /// The rowid of the last row that this connection inserted.
  public var lastInsertedRow: Int64 {
    unsafe handle == nil ? 0 : sqlite3_last_insert_rowid(handle)
  }

  /// How many rows the last INSERT, UPDATE or DELETE changed.
  public var changedRows: Int {
    unsafe handle == nil ? 0 : Int(sqlite3_changes(handle))
  }

  /// How many rows this connection has changed since it was opened, with those that its own work on an index changed.
  public var totalChangedRows: Int {
    unsafe handle == nil ? 0 : Int(sqlite3_total_changes(handle))
  }

  /// A number that changes when another connection, here or in another process, has committed.
  public func dataVersion() throws(SQLiteError) -> Int64 {
    let statement = try prepare("PRAGMA data_version")
    guard try statement.step() else { return 0 }
    return statement.int64()
  }

  /// The same as far as this connection has seen it; up to date while one of its statements reads.
  ///
  /// No statement is run for it.
  public var seenDataVersion: UInt32 {
    var version: UInt32 = 0
    guard unsafe handle != nil else { return version }
    _ = unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }

  /// The first column of the only row, as an integer; nil without a row, or for NULL.
  public func integer(_ sql: StaticString) throws(SQLiteError) -> Int64? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.optionalInt64() : nil
  }

  /// The first column of the only row, as text; nil without a row, or for NULL.
  public func text(_ sql: StaticString) throws(SQLiteError) -> String? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.optionalText() : nil
  }

  /// A counter of what a connection holds or has done.
  public enum Counter: Sendable {
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

  /// The present value of a counter; those of pages count from the connection's opening.
  public func count(of counter: Counter) -> Int {
    guard unsafe handle != nil else { return 0 }
    var now: Int32 = 0
    var highest: Int32 = 0
    _ = unsafe sqlite3_db_status(handle, counter.code, &now, &highest, 0)
    return Int(now)
  }
}
