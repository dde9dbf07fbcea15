import CKeepsakeSQLite

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// SQLite's file layers ("VFS"): the system's own layer, with changes for the database and its log only.
///
/// Locks, shared memory and syncs stay those of the system's layer.
enum FileLayer {
  /// The name of the layer for connections that write; nil where SQLite has no default layer.
  ///
  /// This layer opens the log as a ``LogFile``, and refuses a file that could be opened only for reading.
  static let writing: String? = {
    guard var layer = unsafe copy(named: "keepsake") else { return nil }
    unsafe layer.xOpen = { _, name, file, flags, opened in
      unsafe FileLayer.openForWriting(name, file, flags, opened)
    }
    return unsafe register(layer)
  }()

  /// The name of the layer for connections that change no byte, with ``UntouchedDatabase`` and ``UntouchedLog``.
  static let untouched: String? = {
    guard var layer = unsafe copy(named: "keepsake-untouched") else { return nil }
    unsafe layer.xOpen = { _, name, file, flags, opened in
      unsafe FileLayer.openUntouched(name, file, flags, opened)
    }
    // SQLite deletes the log of an empty database, even on a connection that only reads.
    unsafe layer.xDelete = { _, _, _ in SQLITE_OK }
    return unsafe register(layer)
  }()

  /// SQLite's default layer, which neither changes nor is freed after SQLite's start.
  nonisolated(unsafe) private static let system = unsafe sqlite3_vfs_find(nil)
}

extension FileLayer {
  /// Opens a file as the system's layer does, but refuses a writable file that could be opened only for reading.
  ///
  /// SQLite accepts such a file. If the system lacked file descriptors for a moment, the store would be open and every write
  /// would fail.
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
    // SQLite could not create the file, then tried to open it for reading, and reports that it does not exist. A second attempt
    // succeeds if the reason was temporary, or else reports it.
    if code != SQLITE_OK, flags & SQLITE_OPEN_CREATE != 0, errno == ENOENT { code = attempt() }
    // The error number of SQLite's attempt to open for writing, if the attempt for reading succeeded.
    let reason = errno
    unsafe opened?.pointee = now
    guard code == SQLITE_OK, flags & SQLITE_OPEN_READWRITE != 0, now & SQLITE_OPEN_READONLY != 0
    else { return code }
    _ = unsafe file.pointee.pMethods.pointee.xClose(file)
    unsafe file.pointee.pMethods = nil
    // SQLite reads `errno` after a file could not be opened.
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

  /// Copies the system's layer under another name, with room in each file for a ``FrontFile`` before the system's file.
  @unsafe
  private static func copy(named name: StaticString) -> sqlite3_vfs? {
    guard let system = unsafe system else { return nil }
    // The copy keeps the private data of the system's layer, because it shares the layer's functions.
    var layer = unsafe system.pointee
    unsafe layer.iVersion = min(layer.iVersion, 3)
    unsafe layer.zName = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    unsafe layer.pNext = nil
    unsafe layer.szOsFile += Int32(FrontFile.ahead)
    return unsafe layer
  }

  @unsafe
  private static func register(_ layer: sqlite3_vfs) -> String? {
    // SQLite keeps the pointer for the life of the process.
    let kept = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    unsafe kept.initialize(to: layer)
    guard unsafe sqlite3_vfs_register(kept, 0) == SQLITE_OK else { return nil }
    return unsafe String(cString: layer.zName)
  }
}
