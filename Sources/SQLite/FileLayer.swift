import CSQLite

/// SQLite's way to the file system, with one difference: a log is opened as a ``LogFile``.
///
/// All else is the system's own layer ("VFS"), untouched: its locks, its shared memory, its syncs.
enum FileLayer {
  /// What it is called when a database is opened; nil where SQLite has no layer that it could stand upon.
  static let name: String? = register()

  private static let ownName: StaticString = "keepsake"
  /// Never changed once SQLite has started, nor freed.
  nonisolated(unsafe) private static let system = unsafe sqlite3_vfs_find(nil)

  private static func register() -> String? {
    guard let system = unsafe system else { return nil }
    // With all that belongs to the system's layer, whose functions it shares.
    var layer = unsafe system.pointee
    unsafe layer.iVersion = min(layer.iVersion, 3)
    unsafe layer.zName = UnsafeRawPointer(ownName.utf8Start).assumingMemoryBound(to: CChar.self)
    unsafe layer.pNext = nil
    unsafe layer.szOsFile += Int32(LogFile.ahead)
    unsafe layer.xOpen = { _, name, file, flags, opened in
      unsafe FileLayer.open(name, file, flags, opened)
    }
    // SQLite keeps it for as long as the process lives.
    let kept = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    unsafe kept.initialize(to: layer)
    return unsafe sqlite3_vfs_register(kept, 0) == SQLITE_OK ? "\(ownName)" : nil
  }

  @unsafe
  private static func open(
    _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
    _ opened: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    guard let system = unsafe system, let open = unsafe system.pointee.xOpen,
      let file = unsafe file
    else { return SQLITE_CANTOPEN }
    guard flags & SQLITE_OPEN_WAL != 0 else {
      return unsafe open(system, name, file, flags, opened)
    }
    return unsafe LogFile.open(in: file) { unsafe open(system, name, $0, flags, opened) }
  }
}
