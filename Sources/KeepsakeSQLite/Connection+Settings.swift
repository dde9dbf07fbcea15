import CKeepsakeSQLite

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Connection {
  /// How long SQLite waits for a lock that a program outside our own queue of writers holds.
  package static let busyTimeoutMilliseconds: Int32 = 5000

  /// Applies all settings that SQLite leaves to the program; runs once, before the connection is used.
  func configure() throws(SQLiteError) {
    check(unsafe sqlite3_busy_timeout(handle, Self.busyTimeoutMilliseconds))
    try configureDefences()
    // The page size can be set only before the first write, and stays for the life of the file.
    if access == .create { try execute("PRAGMA page_size = 4096") }
    // None of these settings may depend on how the library was compiled: `secure_delete`, because FAST leaves deleted text in
    // the file; `mmap_size`, because an I/O error in mapped memory becomes a SIGBUS.
    try execute(
      """
      PRAGMA secure_delete = ON;
      PRAGMA cell_size_check = ON;
      PRAGMA mmap_size = 0;
      PRAGMA temp_store = MEMORY;
      PRAGMA foreign_keys = ON;
      PRAGMA cache_size = \(access.isWriting ? "-8000" : "-4000");
      """)
    if access == .create, try text("PRAGMA journal_mode = WAL") != "wal" {
      throw SQLiteError(
        extendedCode: SQLITE_CANTOPEN,
        message: "a write-ahead log is not possible here; use a local file system", path: path)
    }
    if access.isWriting {
      // FULL makes every commit durable. Setting it also reads the schema, so that a damaged or foreign file is refused here
      // and not by a later statement.
      // If a reader kept the log from restarting until the log was long, SQLite cuts the file to the limit at the restart.
      try execute(
        "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = \(CheckpointPolicy.longestFile)")
      try configureWriteAheadLog()
    } else {
      try execute("PRAGMA query_only = ON")
    }
    try configureSync()
    guard try integer("PRAGMA secure_delete") == 1 else {
      throw SQLiteError(
        extendedCode: SQLITE_ERROR, message: "this SQLite can't delete securely", path: path)
    }
    _ = try integer("SELECT count(*) FROM sqlite_schema")
    if access.isWriting { try requireWritable() }
  }

  /// Throws if SQLite could open the database or its log's index only for reading.
  ///
  /// SQLite opens the file for reading without an error, and every write would fail for as long as the connection is open.
  private func requireWritable() throws(SQLiteError) {
    guard unsafe sqlite3_db_readonly(handle, "main") == 0 else {
      throw SQLiteError(
        extendedCode: SQLITE_READONLY, message: "the database can only be read", path: path)
    }
    // For the index of the log SQLite has no such question, so the open file is asked to map it again.
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = unsafe withUnsafeMutablePointer(to: &file) {
      unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, $0)
    }
    guard code == SQLITE_OK, let file = unsafe file, let methods = unsafe file.pointee.pMethods,
      unsafe methods.pointee.iVersion >= 2, let map = unsafe methods.pointee.xShmMap
    else { return }
    var index: UnsafeMutableRawPointer?
    guard unsafe map(file, 0, Self.indexPageBytes, 0, &index) & 0xff == SQLITE_READONLY else {
      return
    }
    // If the user may write the index, the reason was temporary, such as a lack of file descriptors.
    let isAllowed = unsafe faccessat(AT_FDCWD, path + "-shm", W_OK, 0) == 0
    throw SQLiteError(
      extendedCode: isAllowed ? SQLITE_CANTOPEN : SQLITE_READONLY,
      message: "the index of its log could be opened only for reading", path: path)
  }

  /// The size of one page of the log's index, from SQLite's file format.
  private static let indexPageBytes: Int32 = 32768

  /// Forbids what neither a hostile database file nor a mistake in our own SQL must be able to do.
  private func configureDefences() throws(SQLiteError) {
    let flags: [(option: Int32, on: Int32)] = [
      // Forbids writing to the schema table and to the tables behind a full-text index.
      (SQLITE_DBCONFIG_DEFENSIVE, 1),
      (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
      // Our schema has neither triggers nor views, so any that a file has come from somebody else.
      (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
      (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
      (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
      // Makes a misspelt column name in double quotes an error, where SQLite would take it for a string.
      (SQLITE_DBCONFIG_DQS_DML, 0),
      (SQLITE_DBCONFIG_DQS_DDL, 0),
      // The writer runs all checkpoints, and the log is kept, because creating it again costs more than an append.
      (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1),
    ]
    for flag in flags {
      var now: Int32 = -1
      let code = unsafe keepsake_sqlite3_db_config_flag(handle, flag.option, flag.on, &now)
      guard code == SQLITE_OK, now == flag.on else {
        throw SQLiteError(
          extendedCode: code == SQLITE_OK ? SQLITE_ERROR : code,
          message: "this SQLite doesn't support the safety setting \(flag.option)", path: path)
      }
    }
    // `VACUUM INTO` attaches the file that it writes; nothing else attaches a database.
    _ = unsafe sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
  }

  /// Makes SQLite refuse values and rows above a size before reading them, for databases that strangers made.
  package func limitValues(to bytes: Int) {
    guard unsafe handle != nil else { return }
    _ = unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(clamping: bytes))
  }

  private func configureWriteAheadLog() throws(SQLiteError) {
    check(unsafe sqlite3_wal_autocheckpoint(handle, 0))
    var persist: Int32 = 1
    let code = unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &persist)
    guard code == SQLITE_OK || code == SQLITE_NOTFOUND else {
      throw unsafe .last(of: handle, path: path)
    }
    // The hook holds no reference: `close()` removes it before this object goes away.
    let this = unsafe Unmanaged.passUnretained(self).toOpaque()
    _ = unsafe sqlite3_wal_hook(
      handle,
      { this, _, _, pages in
        if let this = unsafe this {
          unsafe Unmanaged<Connection>.fromOpaque(this).takeUnretainedValue().walPages = Int(pages)
        }
        return SQLITE_OK
      }, this)
  }

  private func configureSync() throws(SQLiteError) {
    #if canImport(Darwin)
      // On Apple platforms, `fsync` alone leaves data in the drive's cache.
      try execute("PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
    #endif
  }

  /// Stops the program if a call failed that fails only by misuse.
  private func check(_ code: Int32) {
    precondition(code == SQLITE_OK, "SQLite refused a setting (\(code))")
  }
}
