#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The facts that the system knows about a file at one moment.
package struct FileStatus: Sendable, Hashable {
  /// The kind of file that a name stands for.
  package enum Kind: Sendable, Hashable {
    case regular, directory, link, other
  }

  /// The number of the device that the file is on.
  package let device: UInt64
  /// The number of the file on its device.
  package let inode: UInt64
  /// The size in bytes.
  package let size: Int64
  /// The time when the bytes last changed, in nanoseconds since 1970, limited to the years 1677 to 2262.
  package let modified: Int64
  /// The time when the bytes or the status last changed, in nanoseconds since 1970.
  package let changed: Int64
  // A time that was limited no longer changes, and would hide a change of the file, so the seconds are kept as well.
  private let modifiedSecond: Int
  private let changedSecond: Int
  /// The permission bits.
  package let mode: UInt16
  /// The number of the user who owns the file.
  package let owner: UInt32
  /// The number of names that the file has.
  package let links: UInt64
  /// The kind of file.
  package let kind: Kind

  /// Whether the file is a regular file.
  package var isRegular: Bool { kind == .regular }
  /// Whether the file is a folder.
  package var isDirectory: Bool { kind == .directory }

  init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
    size = Int64(status.st_size)
    #if canImport(Darwin)
      (modified, modifiedSecond) = (status.st_mtimespec.nanoseconds, status.st_mtimespec.tv_sec)
      (changed, changedSecond) = (status.st_ctimespec.nanoseconds, status.st_ctimespec.tv_sec)
    #else
      (modified, modifiedSecond) = (status.st_mtim.nanoseconds, status.st_mtim.tv_sec)
      (changed, changedSecond) = (status.st_ctim.nanoseconds, status.st_ctim.tv_sec)
    #endif
    mode = UInt16(truncatingIfNeeded: status.st_mode) & 0o7777
    owner = UInt32(truncatingIfNeeded: status.st_uid)
    links = UInt64(truncatingIfNeeded: status.st_nlink)
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .link
      default: .other
      }
  }

  /// Looks at what a path leads to, following links; nil where it can't be looked at.
  package init?(path: String) {
    var result = stat()
    guard !path.utf8.contains(0), unsafe stat(path, &result) == 0 else { return nil }
    self.init(result)
  }

  /// Looks at what has a path, without following a link in the last name; nil where it can't be looked at.
  package init?(ofLinkAt path: String) {
    var result = stat()
    guard !path.utf8.contains(0), unsafe lstat(path, &result) == 0 else { return nil }
    self.init(result)
  }

  /// The real path of what a path leads to, without links; nil where it leads nowhere.
  package static func resolvedPath(_ path: String) -> String? {
    guard !path.utf8.contains(0), let real = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }

  /// Returns whether both are the same file, under any names.
  package func isSameFile(as other: FileStatus) -> Bool {
    device == other.device && inode == other.inode
  }

  /// Returns whether both are the same file with the same content, as far as size and times tell.
  func hasSameContents(as other: FileStatus) -> Bool {
    isSameFile(as: other) && size == other.size && modified == other.modified
      && modifiedSecond == other.modifiedSecond
  }
}
