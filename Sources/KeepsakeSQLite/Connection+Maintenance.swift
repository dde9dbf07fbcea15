import CKeepsakeSQLite

extension Connection {
  /// How far a checkpoint copies the log into the database, and whom it waits for.
  package enum CheckpointMode: Sendable {
    /// Copies the pages that readers allow, and waits for nobody.
    case passive
    /// Copies all pages, waiting for readers, so that the next commit writes the log from its beginning.
    case restart
    /// Copies all pages, waiting for readers, and then cuts the log's file to zero bytes.
    case truncate

    var code: Int32 {
      switch self {
      case .passive: SQLITE_CHECKPOINT_PASSIVE
      case .restart: SQLITE_CHECKPOINT_RESTART
      case .truncate: SQLITE_CHECKPOINT_TRUNCATE
      }
    }
  }

  /// Copies pages of the write-ahead log into the database; the caller must hold the writers' lock.
  ///
  /// Except in passive mode, a checkpoint waits for readers and other writers, at most for the given time.
  /// - Parameters:
  ///   - mode: How far the checkpoint goes.
  ///   - waitingMilliseconds: The longest wait for readers and other writers, in milliseconds.
  /// - Returns: Whether readers or another writer kept the checkpoint from finishing, which is not an error; the number of
  ///   pages in the log; and how many of these pages are in the database now.
  /// - Throws: The error of SQLite, unless the database was only busy.
  @discardableResult
  package func checkpoint(
    _ mode: CheckpointMode, waitingMilliseconds: Int32 = Connection.busyTimeoutMilliseconds
  ) throws(SQLiteError) -> (busy: Bool, wal: Int, checkpointed: Int) {
    guard unsafe handle != nil else { throw closed() }
    _ = unsafe sqlite3_busy_timeout(handle, waitingMilliseconds)
    defer { _ = unsafe sqlite3_busy_timeout(handle, Self.busyTimeoutMilliseconds) }
    var wal: Int32 = 0
    var checkpointed: Int32 = 0
    let code = unsafe sqlite3_wal_checkpoint_v2(handle, "main", mode.code, &wal, &checkpointed)
    guard code == SQLITE_OK || code & 0xff == SQLITE_BUSY else {
      throw unsafe .last(of: handle, path: path)
    }
    // SQLite gives -1 for a number that it does not know.
    return (code != SQLITE_OK, max(0, Int(wal)), max(0, Int(checkpointed)))
  }

  /// Extends the log's file with zeros before a commit has to; only for a transaction that writes, which excludes other
  /// writers.
  ///
  /// A commit that makes a file longer also waits until the file system has recorded the new length. Zeros are safe in a log:
  /// SQLite ignores everything after the last committed frame.
  func lengthenLog() {
    guard let log = unsafe LogFile.anyLog(of: handle), let methods = unsafe log.pointee.pMethods
    else {
      return
    }
    var size: sqlite3_int64 = 0
    guard unsafe methods.pointee.xFileSize(log, &size) == SQLITE_OK else { return }
    let used = Self.logHeaderBytes + Int64(walPages) * Self.logFrameBytes
    guard size - used < Self.leastLogAhead else { return }
    for offset in stride(from: size, to: size + Self.logAhead, by: Self.zeros.count) {
      let written = unsafe Self.zeros.withUnsafeBytes { zeros in
        unsafe methods.pointee.xWrite(log, zeros.baseAddress, Int32(zeros.count), offset)
      }
      // If extending fails here, the commit extends the file itself, or reports why it can't.
      guard written == SQLITE_OK else { return }
    }
  }

  /// The sizes of the log's header and of a frame with a page of 4 KiB, from SQLite's file format.
  private static let logHeaderBytes: Int64 = 32
  private static let logFrameBytes: Int64 = 24 + 4096
  /// How many bytes of zeros are added, and below how many bytes of room they are added; a commit of an entry has about 12 KB.
  private static let logAhead: Int64 = 256 << 10
  private static let leastLogAhead: Int64 = 64 << 10
  /// A block of zeros to write, below the 127 KiB that SQLite writes at most with one call.
  private static let zeros = [UInt8](repeating: 0, count: 64 << 10)

  /// Runs SQLite's own check of the database file, which reads the whole file.
  ///
  /// - Parameter quick: Whether to skip the comparison of indexes with tables.
  /// - Returns: The problems that SQLite found, at most 100; empty for a sound file.
  /// - Throws: An error that is not about damage, such as a failed read.
  package func integrityCheck(quick: Bool) throws(SQLiteError) -> [String] {
    let statement =
      quick ? try prepare("PRAGMA quick_check") : try prepare("PRAGMA integrity_check")
    var found: [String] = []
    do throws(SQLiteError) {
      while try statement.step() { found.append(statement.text(0)) }
    } catch  where error.isCorrupt {
      // Some damage stops the check itself, and is a finding as well.
      found.append(error.message)
    }
    return found == ["ok"] ? [] : found
  }

  /// Finds the rows that refer to a missing row, by table, rowid and the table with the missing row; scans all such tables.
  package func brokenForeignKeys() throws(SQLiteError) -> [(
    table: String, row: Int64?, parent: String
  )] {
    let statement = try prepare("PRAGMA foreign_key_check")
    var found: [(table: String, row: Int64?, parent: String)] = []
    while try statement.step() {
      found.append((statement.text(), statement.optionalInt64(), statement.text()))
    }
    return found
  }

  /// Writes a compact copy of the database, without remains of deleted rows, to a path where no file is.
  ///
  /// The copy is a consistent snapshot, even while others write. SQLite does not sync the copy, so the caller syncs it before
  /// renaming it into place.
  package func vacuum(into destination: String) throws(SQLiteError) {
    let statement = try prepare("VACUUM INTO ?1")
    statement.bind(destination)
    try statement.run()
  }

  /// Copies the database page by page to a path with no file or an empty file, and syncs the copy.
  ///
  /// Inside a read transaction, the copy is the snapshot of that transaction, even while others write.
  /// - Parameters:
  ///   - destination: The path of the copy.
  ///   - step: A closure that is called after every 1,024 pages with the number of copied pages and the number of all pages. An
  ///     error that it throws ends the copying, and leaves an incomplete file.
  /// - Throws: The error of SQLite, or of `step`.
  package func backup(
    to destination: String, step: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws {
    guard unsafe handle != nil else { throw closed() }
    // SQLite would release the snapshot between two steps if no statement had read from it yet.
    try execute("SELECT count(*) FROM sqlite_schema")
    var target: OpaquePointer?
    let flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let opened = unsafe sqlite3_open_v2(destination, &target, flags, nil)
    defer { _ = unsafe sqlite3_close_v2(target) }
    guard opened == SQLITE_OK else { throw unsafe SQLiteError.last(of: target, path: destination) }
    guard let backup = unsafe sqlite3_backup_init(target, "main", handle, "main") else {
      throw unsafe SQLiteError.last(of: target, path: destination)
    }
    var stepped = SQLITE_OK
    do {
      while stepped == SQLITE_OK {
        stepped = unsafe sqlite3_backup_step(backup, Self.pagesPerStep)
        let total = unsafe Int(sqlite3_backup_pagecount(backup))
        let remaining = unsafe Int(sqlite3_backup_remaining(backup))
        try step(total - remaining, total)
      }
    } catch {
      _ = unsafe sqlite3_backup_finish(backup)
      throw error
    }
    let finished = unsafe sqlite3_backup_finish(backup)
    guard stepped == SQLITE_DONE, finished == SQLITE_OK else {
      // `sqlite3_backup_finish` repeats the error of a step, except for errors after which another step is allowed.
      guard finished == SQLITE_OK else {
        throw unsafe SQLiteError.last(of: target, path: destination)
      }
      throw SQLiteError.standing(for: stepped, path: destination)
    }
  }

  /// The number of pages between two calls of `step`: 4 MiB.
  private static let pagesPerStep: Int32 = 1024

  func closed() -> SQLiteError {
    SQLiteError(extendedCode: SQLITE_MISUSE, message: "the connection is closed", path: path)
  }
}
