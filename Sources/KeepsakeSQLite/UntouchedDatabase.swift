import CKeepsakeSQLite

/// A database file that is read without changing a byte, even if the log's index is missing.
///
/// The index is missing after a power cut, in a copied folder, or on read-only media. SQLite is then told that the index is
/// there but that nobody maintains it, so SQLite makes a private index in memory. SQLite normally prevents changes to the log
/// by locks in the index, which are not possible here. Therefore each read of a page checks afterwards whether the index
/// exists: a writer creates it before writing anything else, so nothing was written while it is missing.
@safe
struct UntouchedDatabase {
  private let front: FrontFile
  private let layer: UnsafeMutablePointer<sqlite3_vfs>
  /// The path of the log's index, with a zero byte at the end.
  private let index: UnsafeMutableBufferPointer<CChar>
  /// Whether the system's file has the index open, so that locks are real.
  private var hasIndex = false
  /// The locks that were granted without an index, one bit for each.
  private var given: UInt32 = 0

  /// Opens a database in SQLite's memory for an open file, which has room for it and for the system's file.
  static func open(
    _ name: UnsafePointer<CChar>, in memory: UnsafeMutablePointer<sqlite3_file>,
    _ layer: UnsafeMutablePointer<sqlite3_vfs>, _ flags: Int32,
    _ opened: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    let system = unsafe FrontFile.system(behind: memory)
    let code = unsafe layer.pointee.xOpen(layer, name, system, flags, opened)
    guard unsafe FrontFile.system(isOpenBehind: memory) else {
      unsafe memory.pointee.pMethods = nil
      return code
    }
    let path = unsafe Array(String(cString: name).utf8CString.dropLast() + "-shm".utf8CString)
    let index = UnsafeMutableBufferPointer<CChar>.allocate(capacity: path.count)
    _ = unsafe index.initialize(from: path)
    unsafe FrontFile.place(in: memory, methods) { front in
      unsafe UntouchedDatabase(front: front, layer: layer, index: index)
    }
    return code
  }

  /// Whether a writer may have changed what is read since the snapshot began.
  var isOvertaken: Bool { given != 0 && isIndexThere }

  /// Whether the log's index exists and is not empty; true also when the system can't tell.
  private var isIndexThere: Bool {
    var isThere: Int32 = 0
    let code = unsafe layer.pointee.xAccess(
      layer, index.baseAddress, SQLITE_ACCESS_EXISTS, &isThere)
    return code != SQLITE_OK || isThere != 0
  }

  private mutating func close() -> Int32 {
    unsafe index.deallocate()
    return unsafe front.ask { unsafe $1.xClose($0) }
  }

  private func read(
    _ bytes: UnsafeMutableRawPointer?, _ count: Int32, at offset: sqlite3_int64
  ) -> Int32 {
    let code = unsafe front.ask { unsafe $1.xRead($0, bytes, count, offset) }
    return isOvertaken ? ExtendedCode.busySnapshot : code
  }
}

// MARK: - The index

extension UntouchedDatabase {
  private mutating func map(
    _ page: Int32, _ size: Int32, _ isExtending: Int32,
    _ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> Int32 {
    unsafe place?.pointee = nil
    if !hasIndex {
      // Some systems have no shared memory on media that can't be written.
      guard unsafe front.system.pointee.pMethods.pointee.iVersion >= 2,
        unsafe front.system.pointee.pMethods.pointee.xShmMap != nil, isIndexThere
      else { return ExtendedCode.readOnlyCantInit }
      // SQLite began to read without an index, which exists now: SQLite has to begin again, with the index.
      if given != 0 { return SQLITE_READONLY }
    }
    let code = unsafe front.ask { unsafe $1.xShmMap($0, page, size, isExtending, place) }
    if code == SQLITE_OK || code & 0xff == SQLITE_READONLY { hasIndex = true }
    return code
  }

  private mutating func lock(_ first: Int32, _ count: Int32, _ flags: Int32) -> Int32 {
    if hasIndex { return unsafe front.ask { unsafe $1.xShmLock($0, first, count, flags) } }
    let locks: UInt32 = (1 << UInt32(count) - 1) << UInt32(first)
    if flags & SQLITE_SHM_LOCK != 0 { given |= locks } else { given &= ~locks }
    return SQLITE_OK
  }

  private mutating func unmap() -> Int32 {
    guard hasIndex else { return SQLITE_OK }
    hasIndex = false
    return unsafe front.ask { unsafe $1.xShmUnmap($0, 0) }
  }

  private func barrier() {
    guard hasIndex else { return }
    _ = unsafe front.ask { file, methods in
      unsafe methods.xShmBarrier(file)
      return SQLITE_OK
    }
  }
}

// MARK: - For SQLite

extension UntouchedDatabase {
  static func behind(
    _ file: UnsafeMutablePointer<sqlite3_file>?
  ) -> UnsafeMutablePointer<UntouchedDatabase> {
    unsafe UnsafeMutableRawPointer(file.unsafelyUnwrapped)
      .assumingMemoryBound(to: UntouchedDatabase.self)
  }

  nonisolated(unsafe) private static let methods: UnsafePointer<sqlite3_io_methods> = {
    var methods = FrontFile.passingOn()
    // Version 2 has shared memory, but no memory mapping.
    methods.iVersion = 2
    unsafe methods.xClose = { unsafe behind($0).pointee.close() }
    unsafe methods.xRead = { file, bytes, count, offset in
      unsafe behind(file).pointee.read(bytes, count, at: offset)
    }
    unsafe methods.xShmMap = { file, page, size, isExtending, place in
      unsafe behind(file).pointee.map(page, size, isExtending, place)
    }
    unsafe methods.xShmLock = { file, first, count, flags in
      unsafe behind(file).pointee.lock(first, count, flags)
    }
    unsafe methods.xShmBarrier = { unsafe behind($0).pointee.barrier() }
    unsafe methods.xShmUnmap = { file, _ in unsafe behind(file).pointee.unmap() }
    return unsafe FrontFile.kept(methods)
  }()
}
