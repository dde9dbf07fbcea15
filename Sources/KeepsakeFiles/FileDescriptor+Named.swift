#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension FileDescriptor {
  /// Opens the regular file at a path that a person or an app named, for reading. Links are followed.
  ///
  /// The file is looked at before it is opened. Opening a pipe would wait for its other end, opening some devices
  /// starts them, and a file of an open store (``GuardedFiles``) must not be opened at all. For a path that a tool or
  /// a model named, use ``AllowedRoots``.
  package init(opening path: String) throws(FileError) {
    try checkPath(path)
    let newest = GuardedFiles.newest
    var found = stat()
    guard unsafe stat(path, &found) == 0 else {
      throw FileError(errno: errno, "Can't open '\(path)'", path: path)
    }
    let status = FileStatus(found)
    guard status.isRegular else { throw Self.notRegular(path, status.kind) }
    try GuardedFiles.requireFree(status, path: path)
    // Another file may be at the path by now. O_NONBLOCK keeps a pipe from blocking even then.
    let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
    let raw = uninterrupted { unsafe open(path, flags) }
    guard raw >= 0 else { throw FileError(errno: errno, "Can't open '\(path)'", path: path) }
    try Self.requireSame(raw, as: status, path: path)
    self.init(raw: raw, path: path, lookedAt: newest)
  }

  /// Throws where the opened file is another one than the one that was looked at, and may not be open.
  ///
  /// Then the descriptor is closed, or kept open where it must not be closed.
  static func requireSame(
    _ raw: Int32, as status: FileStatus, path: String
  ) throws(FileError) {
    var found = stat()
    guard unsafe fstat(raw, &found) == 0 else {
      let error = FileError(errno: errno, "Can't look at '\(path)'", path: path)
      GuardedFiles.close(raw, lookedAt: nil)
      throw error
    }
    let opened = FileStatus(found)
    if opened.isSameFile(as: status) { return }
    try GuardedFiles.requireFree(opened, opened: raw, path: path)
    guard opened.isRegular else {
      GuardedFiles.close(raw, lookedAt: nil)
      throw notRegular(path, opened.kind)
    }
  }

  private static func notRegular(_ path: String, _ kind: FileStatus.Kind) -> FileError {
    FileError(
      code: .notRegular,
      message:
        "Can't open '\(path)': it is \(kind == .directory ? "a folder" : "a device or a pipe"). Name a file.",
      path: path)
  }
}
