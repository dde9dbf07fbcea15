#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An open folder. Operations go to this folder even when it is moved, or another one takes its path.
///
/// A name is a single component, and no link is followed: a name that is a link is refused. Threads may share the
/// object.
package final class Directory: Sendable {
  let raw: Int32
  /// The path by which the folder was opened, for messages.
  package let path: String

  /// Takes over a descriptor of a folder.
  init(adopting raw: Int32, path: String) {
    self.raw = raw
    self.path = path
  }

  /// Opens the folder at a path that the user named. Links on the way to it are followed.
  package convenience init(path: String) throws(FileError) {
    try checkPath(path)
    let raw = uninterrupted { unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard raw >= 0 else {
      throw FileError(errno: errno, "Can't open the folder '\(path)'", path: path)
    }
    self.init(adopting: raw, path: path)
  }

  deinit {
    close(raw)
  }

  /// Makes a folder at a path where nothing is yet, and opens it.
  ///
  /// The new folder is durable only after the folder that contains it was synced.
  package static func create(path: String, mode: UInt16 = 0o700) throws(FileError) -> Directory {
    try checkPath(path)
    guard uninterrupted({ unsafe mkdir(path, mode_t(mode)) }) == 0 else {
      throw FileError(errno: errno, "Can't create the folder '\(path)'", path: path)
    }
    return try Directory(path: path)
  }

  /// The path of something in this folder, for messages and for calls that take only a path.
  package func path(of name: String) -> String {
    path.hasSuffix("/") ? path + name : "\(path)/\(name)"
  }

  func failure(_ action: String, _ name: String) -> FileError {
    FileError(errno: errno, "Can't \(action) '\(path(of: name))'", path: path(of: name))
  }

  /// Throws where a name could lead to another place than this folder.
  func check(_ name: String) throws(FileError) {
    guard !name.isEmpty, name != ".", name != "..",
      !name.utf8.contains(where: { $0 == 0 || $0 == 0x2f })
    else {
      throw FileError(
        code: .invalid,
        message: "Can't use '\(name)' as a name in '\(path)': it must be a single component.",
        path: path)
    }
  }
}

extension Directory {
  /// Opens the regular file with a name, or makes it; refuses links, folders, pipes and devices.
  package func openFile(
    _ name: String, for access: FileAccess = .reading, mode: UInt16 = 0o600
  ) throws(FileError) -> FileDescriptor {
    try check(name)
    // Without O_NONBLOCK, opening a pipe waits for its other end, possibly for ever.
    let flags = access.flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
    let file = uninterrupted { unsafe openat(raw, name, flags, mode_t(mode)) }
    guard file >= 0 else {
      throw failure(access == .creating(exclusive: true) ? "create" : "open", name)
    }
    var descriptor = FileDescriptor(raw: file, path: path(of: name))
    let status = try descriptor.status()
    // The file's other name may be that of a file that only SQLite may open.
    if status.links > 1 { descriptor.lookedAt = 0 }
    guard status.isRegular else { throw notRegular(name) }
    return descriptor
  }

  /// Opens a regular file that a stranger named for reading, unless only SQLite may open it.
  /// - Parameters:
  ///   - name: The name of the file in this folder.
  ///   - check: Is called with the file's status before the file is opened, and throws to refuse it.
  func openNamed(
    _ name: String, _ check: (FileStatus) throws(FileError) -> Void
  ) throws(FileError) -> FileDescriptor {
    let newest = GuardedFiles.newest
    guard let status = try status(name) else {
      throw FileError(errno: ENOENT, "Can't open '\(path(of: name))'", path: path(of: name))
    }
    guard status.kind != .link else {
      throw FileError(errno: ELOOP, "Can't open '\(path(of: name))'", path: path(of: name))
    }
    // The status is checked before opening, because opening alone starts some devices.
    guard status.isRegular else { throw notRegular(name) }
    try GuardedFiles.requireFree(status, path: path(of: name))
    try check(status)
    let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
    let file = uninterrupted { unsafe openat(raw, name, flags) }
    guard file >= 0 else { throw failure("open", name) }
    try FileDescriptor.requireSame(file, as: status, path: path(of: name))
    return FileDescriptor(raw: file, path: path(of: name), lookedAt: newest)
  }

  func notRegular(_ name: String) -> FileError {
    FileError(
      code: .notRegular,
      message: "Can't open '\(path(of: name))': it is not a regular file. Name a regular file.",
      path: path(of: name))
  }

  /// Opens the folder with a name. If asked to, it makes the folder first where it is missing, and syncs this folder.
  package func subdirectory(
    _ name: String, create: Bool = false, mode: UInt16 = 0o700
  ) throws(FileError) -> Directory {
    if create {
      try makeFolder(name, mode: mode)
      // An existing folder is synced as well, because whoever made it may not have synced it yet.
      try sync()
    }
    try check(name)
    let folder = uninterrupted {
      unsafe openat(raw, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }
    guard folder >= 0 else {
      let error = failure("open the folder", name)
      // For a link, Linux only says that it is no folder.
      guard error.code == .notDirectory, try status(name)?.kind == .link else { throw error }
      throw FileError(errno: ELOOP, "Can't open the folder '\(error.path)'", path: error.path)
    }
    return Directory(adopting: folder, path: path(of: name))
  }

  /// Makes a folder with a name, unless something has that name already.
  ///
  /// The folder is durable only after this folder was synced, even where it existed.
  package func makeFolder(_ name: String, mode: UInt16 = 0o700) throws(FileError) {
    try check(name)
    if uninterrupted({ unsafe mkdirat(raw, name, mode_t(mode)) }) != 0, errno != EEXIST {
      throw failure("create the folder", name)
    }
  }

  /// The status of what has a name, without following a link; nil if nothing has the name.
  package func status(_ name: String) throws(FileError) -> FileStatus? {
    try check(name)
    var result = stat()
    // Passing the string itself would make an array.
    let code = unsafe name.withCString { unsafe fstatat(raw, $0, &result, AT_SYMLINK_NOFOLLOW) }
    if code == 0 { return FileStatus(result) }
    if errno == ENOENT { return nil }
    throw failure("look at", name)
  }

  /// The status of this folder itself.
  package func status() throws(FileError) -> FileStatus {
    var result = stat()
    guard unsafe fstat(raw, &result) == 0 else { throw failure("look at", ".") }
    return FileStatus(result)
  }

  /// The status of what has a name in the folder so many levels above this one; nil where it can't be looked at.
  package func status(_ name: String, above levels: Int) -> FileStatus? {
    var result = stat()
    let path = String(repeating: "../", count: levels) + name
    return unsafe fstatat(raw, path, &result, AT_SYMLINK_NOFOLLOW) == 0 ? FileStatus(result) : nil
  }

  /// Returns whether something has a name.
  package func exists(_ name: String) throws(FileError) -> Bool {
    try status(name) != nil
  }

  /// Gives something another name, in this folder or another one, and replaces a file with that name.
  ///
  /// The change is durable only after both folders were synced.
  package func rename(
    _ name: String, to directory: Directory, as newName: String
  ) throws(FileError) {
    try check(name)
    try directory.check(newName)
    guard uninterrupted({ unsafe renameat(raw, name, directory.raw, newName) }) == 0 else {
      let goal = directory.path(of: newName)
      throw FileError(
        errno: errno, "Can't rename '\(path(of: name))' to '\(goal)'", path: path(of: name))
    }
  }

  /// Removes a file, or a link itself. Throws `notFound` if nothing has the name.
  package func unlink(_ name: String) throws(FileError) {
    try check(name)
    guard uninterrupted({ unsafe unlinkat(raw, name, 0) }) == 0 else {
      throw failure("remove", name)
    }
  }

  /// Waits until the names in this folder are on the disk.
  package func sync() throws(FileError) {
    #if canImport(Darwin)
      if uninterrupted({ fcntl(raw, F_FULLFSYNC) }) != -1 { return }
      guard [ENOTSUP, EOPNOTSUPP, EINVAL, ENOTTY].contains(errno) else { throw syncFailure() }
    #endif
    guard uninterrupted({ fsync(raw) }) == 0 else { throw syncFailure() }
  }

  private func syncFailure() -> FileError {
    FileError(errno: errno, "Can't sync the folder '\(path)'", path: path)
  }
}
