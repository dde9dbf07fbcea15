import CKeepsakeSQLite

/// SQLite's log as a connection that commits writes it: what a commit adds goes into the file at once.
///
/// By itself SQLite writes each page of a commit with two calls, one for its header and one for the page, and a call
/// costs more than what it copies: for the 17 pages of a picture of 50 KB 103 µs, of which one call takes 14. The
/// bytes, their order and the sync stay SQLite's. It gathers from the beginning of a COMMIT to SQLite's sync at its
/// end, before which nobody can know of these pages: they are not in the log's index yet, and all other writers are
/// shut out. Outside of a COMMIT, as where a transaction is too large for the memory it may have, it writes as told.
@safe
struct LogFile {
  private let front: FrontFile
  private var isGathering = false
  /// Where in the file the gathered bytes belong, and how many there are.
  private var start: sqlite3_int64 = 0
  private var count = 0
  private var gathered: UnsafeMutableRawPointer?
  /// What the system said when it last refused to write or sync; 0 for nothing.
  private var refusal: Int32 = 0

  /// 30 pages with their headers. SQLite writes no more than 127 KiB with one call.
  private static let capacity = 30 * (24 + 4096)

  private init(_ front: FrontFile) { self.front = front }
}

// MARK: - Committing

extension LogFile {
  /// The log of a connection's database; nil where that has none of this kind.
  static func of(_ connection: OpaquePointer?) -> UnsafeMutablePointer<LogFile>? {
    guard let log = unsafe anyLog(of: connection), unsafe log.pointee.pMethods == methods else {
      return nil
    }
    return unsafe behind(log)
  }

  /// The log of a connection's database, of whatever kind.
  static func anyLog(of connection: OpaquePointer?) -> UnsafeMutablePointer<sqlite3_file>? {
    var log: UnsafeMutablePointer<sqlite3_file>?
    let code = unsafe withUnsafeMutablePointer(to: &log) {
      unsafe sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, $0)
    }
    return code == SQLITE_OK ? unsafe log : nil
  }

  /// Gathers what is written from here on.
  mutating func gather() {
    isGathering = true
  }

  /// Ends the gathering; what is left goes into the file only while the transaction is still open.
  ///
  /// A commit leaves nothing: it ends with a sync. After one that failed somebody else may have written there.
  mutating func finish(isOpen: Bool) -> Int32 {
    isGathering = false
    if !isOpen { count = 0 }
    return flush()
  }

  /// Why the system last refused to write or sync, as its error number; 0 when it did not. Tells it once.
  ///
  /// SQLite forgets it where a COMMIT fails, and says of a full disk that is noticed at the sync just that syncing failed.
  mutating func takeRefusal() -> Int32 {
    defer { refusal = 0 }
    return refusal
  }
}

// MARK: - Gathering

extension LogFile {
  private mutating func write(
    _ bytes: UnsafeRawPointer, _ count: Int, at offset: sqlite3_int64
  ) -> Int32 {
    let isNext = offset == start + Int64(self.count) && self.count + count <= Self.capacity
    if !isGathering || !isNext {
      let flushed = flush()
      guard flushed == SQLITE_OK else { return flushed }
      guard isGathering && count <= Self.capacity else {
        return noted(unsafe front.ask { unsafe $1.xWrite($0, bytes, Int32(count), offset) })
      }
      start = offset
    }
    let place = unsafe gathered ?? .allocate(byteCount: Self.capacity, alignment: 16)
    unsafe gathered = place
    unsafe (place + self.count).copyMemory(from: bytes, byteCount: count)
    self.count += count
    return SQLITE_OK
  }

  /// Writes what there is. If that fails it is gone, and with it the commit, which hears of it.
  private mutating func flush() -> Int32 {
    guard count > 0 else { return SQLITE_OK }
    defer { count = 0 }
    return noted(unsafe front.ask { unsafe $1.xWrite($0, gathered, Int32(count), start) })
  }

  /// Keeps why the system refused, where it did.
  private mutating func noted(_ code: Int32) -> Int32 {
    guard code != SQLITE_OK else { return code }
    var reason: Int32 = 0
    let isTold = unsafe withUnsafeMutablePointer(to: &reason) { reason in
      unsafe front.ask { unsafe $1.xFileControl($0, SQLITE_FCNTL_LAST_ERRNO, reason) }
    }
    if isTold == SQLITE_OK { refusal = reason }
    return code
  }

  /// What the system's file says, once all that was written is in it.
  private mutating func whenWritten(
    _ body: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> Int32
  ) -> Int32 {
    let code = flush()
    return code == SQLITE_OK ? unsafe front.ask(body) : code
  }
}

// MARK: - For SQLite

extension LogFile {
  /// Opens a log in memory that has room for it and for the system's file.
  static func open(
    in memory: UnsafeMutablePointer<sqlite3_file>,
    _ open: (UnsafeMutablePointer<sqlite3_file>) -> Int32
  ) -> Int32 {
    let code = unsafe open(FrontFile.system(behind: memory))
    // SQLite closes whatever has methods, also what could not be opened.
    let isToClose = unsafe FrontFile.system(isOpenBehind: memory)
    unsafe FrontFile.place(in: memory, isToClose ? methods : nil) { LogFile($0) }
    return code
  }

  private mutating func sync(_ flags: Int32) -> Int32 {
    let code = flush()
    return code == SQLITE_OK ? noted(unsafe front.ask { unsafe $1.xSync($0, flags) }) : code
  }

  private static func behind(
    _ file: UnsafeMutablePointer<sqlite3_file>?
  ) -> UnsafeMutablePointer<LogFile> {
    unsafe UnsafeMutableRawPointer(file.unsafelyUnwrapped).assumingMemoryBound(to: LogFile.self)
  }

  private mutating func close() -> Int32 {
    unsafe gathered?.deallocate()
    unsafe gathered = nil
    return unsafe front.ask { unsafe $1.xClose($0) }
  }

  nonisolated(unsafe) private static let methods: UnsafePointer<sqlite3_io_methods> = {
    var methods = FrontFile.passingOn()
    unsafe methods.xClose = { unsafe behind($0).pointee.close() }
    unsafe methods.xRead = { file, bytes, count, offset in
      unsafe behind(file).pointee.whenWritten { unsafe $1.xRead($0, bytes, count, offset) }
    }
    unsafe methods.xWrite = { file, bytes, count, offset in
      unsafe behind(file).pointee.write(bytes.unsafelyUnwrapped, Int(count), at: offset)
    }
    unsafe methods.xTruncate = { file, size in
      unsafe behind(file).pointee.whenWritten { unsafe $1.xTruncate($0, size) }
    }
    unsafe methods.xSync = { file, flags in
      unsafe behind(file).pointee.sync(flags)
    }
    unsafe methods.xFileSize = { file, size in
      unsafe behind(file).pointee.whenWritten { unsafe $1.xFileSize($0, size) }
    }
    return unsafe FrontFile.kept(methods)
  }()
}
