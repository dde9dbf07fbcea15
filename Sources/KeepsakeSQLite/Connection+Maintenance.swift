import CKeepsakeSQLite

extension Connection {
  /// How a checkpoint goes about writing the log into the database.
  public enum CheckpointMode: Sendable {
    /// As much as readers allow, waiting for nobody.
    case passive
    /// All of it, waiting for readers, so that the next commit writes the log from its beginning.
    case restart
    /// As `restart`, and cuts the log to nothing.
    case truncate

    var code: Int32 {
      switch self {
      case .passive: SQLITE_CHECKPOINT_PASSIVE
      case .restart: SQLITE_CHECKPOINT_RESTART
      case .truncate: SQLITE_CHECKPOINT_TRUNCATE
      }
    }
  }

  /// Writes pages of the write-ahead log into the database; only while holding the writers' lock.
  ///
  /// Gives the number of pages in the log, and how many of them are in the database now. `busy`
  /// means that readers, or another writer, kept it from finishing; that is not an error. It waits
  /// for them up to the limit, except in passive mode.
  @discardableResult
  public func checkpoint(
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
    // -1 stands for unknown.
    return (code != SQLITE_OK, max(0, Int(wal)), max(0, Int(checkpointed)))
  }

  /// Makes the log's file longer by zeros where the next commit would; only inside of a transaction that
  /// writes, during which nobody else writes to the log.
  ///
  /// A commit that makes a file longer waits until the file system has noted that, too. In a log the zeros are what
  /// SQLite finds behind its last page anyway: what was never committed.
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
      // Then the commit makes the file longer by itself, or tells why it can't.
      guard written == SQLITE_OK else { return }
    }
  }

  /// As the format of SQLite's log has it, for pages of 4 KiB.
  private static let logHeaderBytes: Int64 = 32
  private static let logFrameBytes: Int64 = 24 + 4096
  /// By how much the log is made longer, and when: a commit of an entry has a dozen KB.
  private static let logAhead: Int64 = 256 << 10
  private static let leastLogAhead: Int64 = 64 << 10
  /// SQLite refuses to write more than 127 KiB at a time.
  private static let zeros = [UInt8](repeating: 0, count: 64 << 10)

  /// What SQLite's own check finds wrong with the file: nothing, or at most 100 sentences.
  ///
  /// Reads the whole file. The quick check leaves out whether indexes agree with their tables.
  public func integrityCheck(quick: Bool) throws(SQLiteError) -> [String] {
    let statement =
      quick ? try prepare("PRAGMA quick_check") : try prepare("PRAGMA integrity_check")
    var found: [String] = []
    do throws(SQLiteError) {
      while try statement.step() { found.append(statement.text(0)) }
    } catch  where error.isCorrupt {
      // Damage in some places keeps even the check from going on; that too is what it found.
      found.append(error.message)
    }
    return found == ["ok"] ? [] : found
  }

  /// Rows that refer to a row that isn't there, as table, rowid and the table that is referred to.
  public func brokenForeignKeys() throws(SQLiteError) -> [(
    table: String, row: Int64?, parent: String
  )] {
    let statement = try prepare("PRAGMA foreign_key_check")
    var found: [(table: String, row: Int64?, parent: String)] = []
    while try statement.step() {
      found.append((statement.text(), statement.optionalInt64(), statement.text()))
    }
    return found
  }

  /// Writes a compact copy of the database, without a trace of deleted rows, to a path that is free.
  ///
  /// A consistent snapshot, also while others write. SQLite does not sync the copy: do that before
  /// it is renamed into place.
  public func vacuum(into destination: String) throws(SQLiteError) {
    let statement = try prepare("VACUUM INTO ?1")
    statement.bind(destination)
    try statement.run()
  }

  /// Copies the database page by page to a path that is free or an empty file.
  ///
  /// Inside of a transaction that reads, it is that snapshot, whoever writes meanwhile. The copy is synced.
  /// - Parameters:
  ///   - destination: The path.
  ///   - step: Told after every so many pages how many of them are copied, and how many there are; what it throws
  ///     ends the copying, and leaves a part of a file.
  public func backup(
    to destination: String, step: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws {
    guard unsafe handle != nil else { throw closed() }
    // Between its steps SQLite would let go of a snapshot that nothing has read from yet.
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
      // Finishing repeats a step's error, except for those after which one may step again.
      guard finished == SQLITE_OK else {
        throw unsafe SQLiteError.last(of: target, path: destination)
      }
      throw SQLiteError.standing(for: stepped, path: destination)
    }
  }

  /// 4 MiB of them.
  private static let pagesPerStep: Int32 = 1024

  func closed() -> SQLiteError {
    SQLiteError(extendedCode: SQLITE_MISUSE, message: "the connection is closed", path: path)
  }
}
