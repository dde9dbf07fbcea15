import CKeepsakeSQLite

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// SQLite's ways to the file system, with differences for the database and its log; all else is the system's own layer
/// ("VFS"), untouched: its locks, its shared memory, its syncs.
enum FileLayer {
  /// For connections that write: a log is a ``LogFile``, and what can't be opened for writing is not opened at all. Nil
  /// where SQLite has no layer that it could stand upon.
  static let writing: String? = {
    guard var layer = unsafe copy(named: "keepsake") else { return nil }
    unsafe layer.xOpen = { _, name, file, flags, opened in
      unsafe FileLayer.openForWriting(name, file, flags, opened)
    }
    return unsafe register(layer)
  }()

  /// For connections that change no byte: as ``UntouchedDatabase`` and ``UntouchedLog``.
  static let untouched: String? = {
    guard var layer = unsafe copy(named: "keepsake-untouched") else { return nil }
    unsafe layer.xOpen = { _, name, file, flags, opened in
      unsafe FileLayer.openUntouched(name, file, flags, opened)
    }
    // SQLite removes the log of an empty database, also where it may only read.
    unsafe layer.xDelete = { _, _, _ in SQLITE_OK }
    return unsafe register(layer)
  }()

  /// Never changed once SQLite has started, nor freed.
  nonisolated(unsafe) private static let system = unsafe sqlite3_vfs_find(nil)
}

extension FileLayer {
  /// Opens a file as the system's layer does, and refuses one that it could open only for reading although it is to be
  /// written.
  ///
  /// SQLite is content with that. Where the system was out of descriptors for a moment, the store would be open and
  /// could never be written.
  @unsafe
  private static func openForWriting(
    _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
    _ opened: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    guard let system = unsafe system, let open = unsafe system.pointee.xOpen,
      let file = unsafe file
    else { return SQLITE_CANTOPEN }
    var now: Int32 = 0
    func attempt() -> Int32 {
      errno = 0
      return flags & SQLITE_OPEN_WAL == 0
        ? unsafe open(system, name, file, flags, &now)
        : unsafe LogFile.open(in: file) { unsafe open(system, name, $0, flags, &now) }
    }
    var code = attempt()
    // SQLite could not make the file, tried whether it can be read, and says that it is not there. Whatever it was is
    // over now, or tells its name.
    if code != SQLITE_OK, flags & SQLITE_OPEN_CREATE != 0, errno == ENOENT { code = attempt() }
    // The first attempt's, where the second, for reading, went well.
    let reason = errno
    unsafe opened?.pointee = now
    guard code == SQLITE_OK, flags & SQLITE_OPEN_READWRITE != 0, now & SQLITE_OPEN_READONLY != 0
    else { return code }
    _ = unsafe file.pointee.pMethods.pointee.xClose(file)
    unsafe file.pointee.pMethods = nil
    // SQLite asks for it where a file can't be opened.
    errno = reason
    return [EACCES, EPERM, EROFS, 0].contains(reason) ? SQLITE_READONLY : SQLITE_CANTOPEN
  }

  @unsafe
  private static func openUntouched(
    _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
    _ opened: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    guard let system = unsafe system, let open = unsafe system.pointee.xOpen,
      let file = unsafe file
    else { return SQLITE_CANTOPEN }
    if let name = unsafe name, flags & SQLITE_OPEN_MAIN_DB != 0 {
      return unsafe UntouchedDatabase.open(name, in: file, system, flags, opened)
    }
    if let name = unsafe name, flags & SQLITE_OPEN_WAL != 0 {
      return unsafe UntouchedLog.open(name, in: file, system, opened)
    }
    return unsafe open(system, name, file, flags, opened)
  }

  /// The system's layer under another name, with room for a file of ours before each of its own.
  @unsafe
  private static func copy(named name: StaticString) -> sqlite3_vfs? {
    guard let system = unsafe system else { return nil }
    // With all that belongs to the system's layer, whose functions it shares.
    var layer = unsafe system.pointee
    unsafe layer.iVersion = min(layer.iVersion, 3)
    unsafe layer.zName = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    unsafe layer.pNext = nil
    unsafe layer.szOsFile += Int32(FrontFile.ahead)
    return unsafe layer
  }

  @unsafe
  private static func register(_ layer: sqlite3_vfs) -> String? {
    // SQLite keeps it for as long as the process lives.
    let kept = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    unsafe kept.initialize(to: layer)
    guard unsafe sqlite3_vfs_register(kept, 0) == SQLITE_OK else { return nil }
    return unsafe String(cString: layer.zName)
  }
}
