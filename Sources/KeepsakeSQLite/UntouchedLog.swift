import CKeepsakeSQLite

/// The log of a database that is read without changing a byte; a missing or unusable log reads as empty.
///
/// SQLite takes a log with an invalid header, or with a header and nothing behind it, for one that somebody keeps changing, and
/// gives up after ten seconds. Such a log therefore reads as empty as well, and a missing log is not created.
/// gives up on it after ten seconds.
@safe
struct UntouchedLog {
  private let front: FrontFile
  private let layer: UnsafeMutablePointer<sqlite3_vfs>
  /// The path of the log, in memory that SQLite owns.
  private let name: UnsafePointer<CChar>
  /// The database to which the log belongs.
  private let database: UnsafeMutablePointer<UntouchedDatabase>

  /// The header's size and first number, from SQLite's file format; the number's last bit tells the byte order of checksums.
  private static let headerSize = 32
  private static let magic: UInt32 = 0x377f_0682

  /// Opens a log in SQLite's memory for an open file, which has room for the log and for the system's file.
  static func open(
    _ name: UnsafePointer<CChar>, in memory: UnsafeMutablePointer<sqlite3_file>,
    _ layer: UnsafeMutablePointer<sqlite3_vfs>, _ opened: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    _ = unsafe FrontFile.system(behind: memory)
    let database = unsafe UntouchedDatabase.behind(sqlite3_database_file_object(name))
    unsafe FrontFile.place(in: memory, methods) { front in
      unsafe UntouchedLog(front: front, layer: layer, name: name, database: database)
    }
    unsafe opened?.pointee = flags
    return unsafe behind(memory).pointee.open()
  }

  private static let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_WAL

  private var isOpen: Bool { unsafe front.system.pointee.pMethods != nil }

  /// Opens the system's file, unless it is open already or does not exist.
  private func open() -> Int32 {
    if isOpen { return SQLITE_OK }
    var isThere: Int32 = 0
    let code = unsafe layer.pointee.xAccess(layer, name, SQLITE_ACCESS_EXISTS, &isThere)
    guard code == SQLITE_OK, isThere != 0 else { return code }
    var opened: Int32 = 0
    return unsafe layer.pointee.xOpen(layer, name, front.system, Self.flags, &opened)
  }

  private func close() -> Int32 {
    isOpen ? unsafe front.ask { unsafe $1.xClose($0) } : SQLITE_OK
  }

  private func read(
    _ bytes: UnsafeMutableRawPointer?, _ count: Int32, at offset: sqlite3_int64
  ) -> Int32 {
    let code = open()
    guard code == SQLITE_OK else { return code }
    guard isOpen else {
      unsafe bytes?.initializeMemory(as: UInt8.self, repeating: 0, count: Int(count))
      return ExtendedCode.shortRead
    }
    let read = unsafe front.ask { unsafe $1.xRead($0, bytes, count, offset) }
    return unsafe database.pointee.isOvertaken ? ExtendedCode.busySnapshot : read
  }

  private func measure(_ size: UnsafeMutablePointer<sqlite3_int64>?) -> Int32 {
    unsafe size?.pointee = 0
    let code = open()
    guard code == SQLITE_OK, isOpen else { return code }
    var found: sqlite3_int64 = 0
    let measured = unsafe front.ask { unsafe $1.xFileSize($0, &found) }
    guard measured == SQLITE_OK, found > Self.headerSize else { return measured }
    var header = [UInt8](repeating: 0, count: Self.headerSize)
    let read = unsafe front.ask { unsafe $1.xRead($0, &header, Int32(Self.headerSize), 0) }
    guard read == SQLITE_OK || read == ExtendedCode.shortRead else { return read }
    if Self.isLog(header) { unsafe size?.pointee = found }
    return SQLITE_OK
  }

  private static func isLog(_ header: [UInt8]) -> Bool {
    func number(at offset: Int) -> UInt32 {
      header[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    let pageSize = number(at: 8)
    return number(at: 0) & ~1 == magic && pageSize & (pageSize &- 1) == 0
      && (512...65536).contains(pageSize)
  }
}

// MARK: - For SQLite

extension UntouchedLog {
  private static func behind(
    _ file: UnsafeMutablePointer<sqlite3_file>?
  ) -> UnsafeMutablePointer<UntouchedLog> {
    unsafe UnsafeMutableRawPointer(file.unsafelyUnwrapped)
      .assumingMemoryBound(to: UntouchedLog.self)
  }

  nonisolated(unsafe) private static let methods: UnsafePointer<sqlite3_io_methods> = {
    var methods = sqlite3_io_methods()
    methods.iVersion = 1
    unsafe methods.xClose = { unsafe behind($0).pointee.close() }
    unsafe methods.xRead = { file, bytes, count, offset in
      unsafe behind(file).pointee.read(bytes, count, at: offset)
    }
    unsafe methods.xFileSize = { file, size in unsafe behind(file).pointee.measure(size) }
    unsafe methods.xWrite = { _, _, _, _ in SQLITE_READONLY }
    unsafe methods.xTruncate = { _, _ in SQLITE_READONLY }
    unsafe methods.xSync = { _, _ in SQLITE_OK }
    // SQLite locks only the database and the index, never the log.
    unsafe methods.xLock = { _, _ in SQLITE_OK }
    unsafe methods.xUnlock = { _, _ in SQLITE_OK }
    unsafe methods.xCheckReservedLock = { _, isReserved in
      unsafe isReserved?.pointee = 0
      return SQLITE_OK
    }
    unsafe methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    unsafe methods.xSectorSize = { _ in 0 }
    unsafe methods.xDeviceCharacteristics = { _ in 0 }
    return unsafe FrontFile.kept(methods)
  }()
}
