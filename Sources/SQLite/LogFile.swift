import CSQLite

/// SQLite's log as a connection that commits writes it: what a commit adds goes into the file at once.
///
/// By itself SQLite writes each page of a commit with two calls, one for its header and one for the page, and a call
/// costs more than what it copies: for the 17 pages of a picture of 50 KB 103 µs, of which one call takes 14. The
/// bytes, their order and the sync stay SQLite's. It gathers from the beginning of a COMMIT to SQLite's sync at its
/// end, before which nobody can know of these pages: they are not in the log's index yet, and all other writers are
/// shut out. Outside of a COMMIT, as where a transaction is too large for the memory it may have, it writes as told.
@safe
struct LogFile {
  /// What SQLite takes it for; so it comes first.
  private var file: sqlite3_file
  /// The system's own file, in the memory behind it.
  private let system: UnsafeMutablePointer<sqlite3_file>
  private var isGathering = false
  /// Where in the file the gathered bytes belong, and how many there are.
  private var start: sqlite3_int64 = 0
  private var count = 0
  private var gathered: UnsafeMutableRawPointer?

  /// 30 pages with their headers. SQLite writes no more than 127 KiB with one call.
  private static let capacity = 30 * (24 + 4096)
  /// How far behind it the system's file begins, aligned for whatever that holds.
  static let ahead = (MemoryLayout<Self>.size + 15) & ~15
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
        return unsafe system.pointee.pMethods.pointee.xWrite(system, bytes, Int32(count), offset)
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
    return unsafe system.pointee.pMethods.pointee.xWrite(system, gathered, Int32(count), start)
  }

  /// What the system's file says, once all that was written is in it.
  private mutating func whenWritten(
    _ body: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> Int32
  ) -> Int32 {
    let code = flush()
    return code == SQLITE_OK ? unsafe directly(body) : code
  }

  /// What it says to what has nothing to do with its content.
  private func directly(
    _ body: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> Int32
  ) -> Int32 {
    unsafe body(system, system.pointee.pMethods.pointee)
  }
}

// MARK: - For SQLite

extension LogFile {
  /// Opens a log in memory that has room for it and for the system's file.
  static func open(
    in memory: UnsafeMutablePointer<sqlite3_file>,
    _ open: (UnsafeMutablePointer<sqlite3_file>) -> Int32
  ) -> Int32 {
    let place = UnsafeMutableRawPointer(memory)
    let system = unsafe (place + ahead).bindMemory(to: sqlite3_file.self, capacity: 1)
    unsafe system.pointee.pMethods = nil
    let code = unsafe open(system)
    // SQLite closes whatever has methods, also what could not be opened.
    let file = unsafe sqlite3_file(pMethods: system.pointee.pMethods == nil ? nil : methods)
    unsafe place.bindMemory(to: LogFile.self, capacity: 1)
      .initialize(to: LogFile(file: file, system: system))
    return code
  }

  private static func behind(
    _ file: UnsafeMutablePointer<sqlite3_file>?
  ) -> UnsafeMutablePointer<LogFile> {
    unsafe UnsafeMutableRawPointer(file.unsafelyUnwrapped).assumingMemoryBound(to: LogFile.self)
  }

  private mutating func close() -> Int32 {
    unsafe gathered?.deallocate()
    unsafe gathered = nil
    return unsafe system.pointee.pMethods.pointee.xClose(system)
  }

  nonisolated(unsafe) private static let methods: UnsafePointer<sqlite3_io_methods> = {
    var methods = sqlite3_io_methods()
    // Without shared memory and mapping, which are the database's.
    methods.iVersion = 1
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
      unsafe behind(file).pointee.whenWritten { unsafe $1.xSync($0, flags) }
    }
    unsafe methods.xFileSize = { file, size in
      unsafe behind(file).pointee.whenWritten { unsafe $1.xFileSize($0, size) }
    }
    unsafe methods.xLock = { file, level in
      unsafe behind(file).pointee.directly { unsafe $1.xLock($0, level) }
    }
    unsafe methods.xUnlock = { file, level in
      unsafe behind(file).pointee.directly { unsafe $1.xUnlock($0, level) }
    }
    unsafe methods.xCheckReservedLock = { file, isReserved in
      unsafe behind(file).pointee.directly { unsafe $1.xCheckReservedLock($0, isReserved) }
    }
    unsafe methods.xFileControl = { file, operation, argument in
      unsafe behind(file).pointee.directly { unsafe $1.xFileControl($0, operation, argument) }
    }
    unsafe methods.xSectorSize = { file in
      unsafe behind(file).pointee.directly { unsafe $1.xSectorSize($0) }
    }
    unsafe methods.xDeviceCharacteristics = { file in
      unsafe behind(file).pointee.directly { unsafe $1.xDeviceCharacteristics($0) }
    }
    // For as long as the process lives.
    let kept = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    unsafe kept.initialize(to: methods)
    return unsafe UnsafePointer(kept)
  }()
}
