import CKeepsakeSQLite

/// SQLite's write-ahead log on a connection that writes, which writes all pages of a commit with one call.
///
/// SQLite makes two calls for each page of a commit, one for a header and one for the page. A call costs more than copying the
/// bytes: the 17 pages of a picture of 50 KB take 103 µs, and 14 µs with one call. The bytes, their order and the sync do not
/// change.
///
/// Pages are gathered from the beginning of a COMMIT to its last page, whose header says that it is the last one. Until then
/// nobody can see them, because the log's index does not have them yet and other writers are excluded. A part of them may be gathered and
/// written before the COMMIT, by ``Connection/writePagesAhead()``; nobody reads these before the last page is there. As soon as SQLite has
/// written the last page, it puts all of them into the index, on a connection that syncs its commits after the sync and on any
/// other one at once. Then readers take them from the file. Outside a COMMIT, such as when a transaction outgrows the page
/// cache, each write goes to the file at once.
@safe
struct LogFile {
  private let front: FrontFile
  private var isGathering = false
  /// The offset in the file at which the gathered bytes belong, and their count. Before the first write of a COMMIT the offset
  /// is not known, and negative.
  private var start: sqlite3_int64 = -1
  private var count = 0
  /// True after SQLite wrote the header of a COMMIT's last page, until SQLite writes that page.
  private var isLastPage = false
  private var gathered: UnsafeMutableRawPointer?
  /// The system's error number of the last refused write or sync; 0 without one.
  private var refusal: Int32 = 0

  /// The most bytes to gather: 30 pages with headers. SQLite writes no more than 127 KiB with one call.
  private static let capacity = 30 * (pageHeader + 4096)
  /// The bytes of the header that each page has in the log.
  private static let pageHeader = 24

  private init(_ front: FrontFile) { self.front = front }
}

// MARK: - Committing

extension LogFile {
  /// Returns the log of a connection's database; nil where the log is not a ``LogFile``.
  static func of(_ connection: OpaquePointer?) -> UnsafeMutablePointer<LogFile>? {
    guard let log = unsafe anyLog(of: connection), unsafe log.pointee.pMethods == methods else {
      return nil
    }
    return unsafe behind(log)
  }

  /// Returns the log of a connection's database, whichever layer opened it.
  static func anyLog(of connection: OpaquePointer?) -> UnsafeMutablePointer<sqlite3_file>? {
    var log: UnsafeMutablePointer<sqlite3_file>?
    let code = unsafe withUnsafeMutablePointer(to: &log) {
      unsafe sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, $0)
    }
    return code == SQLITE_OK ? unsafe log : nil
  }

  /// Begins to gather the bytes that SQLite writes.
  mutating func gather() {
    isGathering = true
    start = -1
    isLastPage = false
  }

  /// Ends the gathering, and writes the remaining bytes only if the transaction is still open.
  ///
  /// A successful commit leaves no bytes, because its last page was written with them. After a failed commit the bytes are dropped, because
  /// another connection may have written at that place.
  mutating func finish(isOpen: Bool) -> Int32 {
    isGathering = false
    if !isOpen { count = 0 }
    return flush()
  }

  /// Returns the system's error number of the last refused write or sync, once, and 0 otherwise.
  ///
  /// SQLite forgets the number when a COMMIT fails, and reports a full disk that is noticed during the sync only as a failed
  /// sync.
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
    let isNext = start < 0 || offset == start + Int64(self.count)
    guard isGathering, isNext, count <= Self.capacity else {
      // SQLite writes a page where the page lies already, or its header. The rest of the COMMIT goes to the file at once, too.
      isGathering = false
      let flushed = flush()
      guard flushed == SQLITE_OK else { return flushed }
      return noted(unsafe front.ask { unsafe $1.xWrite($0, bytes, Int32(count), offset) })
    }
    if self.count + count > Self.capacity {
      let flushed = flush()
      guard flushed == SQLITE_OK else { return flushed }
    }
    if self.count == 0 { start = offset }
    let place = unsafe gathered ?? .allocate(byteCount: Self.capacity, alignment: 16)
    unsafe gathered = place
    unsafe (place + self.count).copyMemory(from: bytes, byteCount: count)
    self.count += count
    let endsCommit = isLastPage
    isLastPage = unsafe count == Self.pageHeader && Self.isOfLastPage(bytes)
    return endsCommit ? flush() : SQLITE_OK
  }

  /// Tells whether a page's header in the log is that of a commit's last page. Only such a header has the number of the database's pages.
  private static func isOfLastPage(_ header: UnsafeRawPointer) -> Bool {
    unsafe header.loadUnaligned(fromByteOffset: 4, as: UInt32.self) != 0
  }

  /// Writes the gathered bytes. If that fails, they are dropped, and the commit fails with the error.
  private mutating func flush() -> Int32 {
    guard count > 0 else { return SQLITE_OK }
    defer {
      start += Int64(count)
      count = 0
    }
    return noted(unsafe front.ask { unsafe $1.xWrite($0, gathered, Int32(count), start) })
  }

  /// Keeps the system's error number if the code is an error, and returns the code.
  private mutating func noted(_ code: Int32) -> Int32 {
    guard code != SQLITE_OK else { return code }
    var reason: Int32 = 0
    let isTold = unsafe withUnsafeMutablePointer(to: &reason) { reason in
      unsafe front.ask { unsafe $1.xFileControl($0, SQLITE_FCNTL_LAST_ERRNO, reason) }
    }
    if isTold == SQLITE_OK { refusal = reason }
    return code
  }

  /// Writes the gathered bytes, and then calls a function of the system's file.
  private mutating func whenWritten(
    _ body: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> Int32
  ) -> Int32 {
    let code = flush()
    return code == SQLITE_OK ? unsafe front.ask(body) : code
  }
}

// MARK: - For SQLite

extension LogFile {
  /// Opens a log in SQLite's memory for an open file, which has room for the log and for the system's file.
  static func open(
    in memory: UnsafeMutablePointer<sqlite3_file>,
    _ open: (UnsafeMutablePointer<sqlite3_file>) -> Int32
  ) -> Int32 {
    let code = unsafe open(FrontFile.system(behind: memory))
    // SQLite closes every file that has functions, even one that could not be opened.
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
