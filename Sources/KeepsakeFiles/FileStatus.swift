#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What the system knows about a file, at one moment.
public struct FileStatus: Sendable, Hashable {
  /// What the name stands for.
  public enum Kind: Sendable, Hashable {
    case regular, directory, link, other
  }

  /// The number of the device that the file is on.
  public let device: UInt64
  /// The number of the file on its device.
  public let inode: UInt64
  /// Its size in bytes.
  public let size: Int64
  /// When its bytes last changed, in nanoseconds since 1970; before 1677 and after 2262 the nearest of these.
  public let modified: Int64
  /// When its bytes or its status last changed, in nanoseconds since 1970.
  public let changed: Int64
  // A time that was cut off changes no more, and would hide that the file did.
  private let modifiedSecond: Int
  private let changedSecond: Int
  /// Its permission bits.
  public let mode: UInt16
  /// The number of the user that it belongs to.
  public let owner: UInt32
  /// How many names it has.
  public let links: UInt64
  /// What it is.
  public let kind: Kind

  /// Whether it is a regular file.
  public var isRegular: Bool { kind == .regular }
  /// Whether it is a folder.
  public var isDirectory: Bool { kind == .directory }

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

  /// What the system knows about what a path leads to, through links; nil where it can't be looked at.
  public init?(path: String) {
    var result = stat()
    guard !path.utf8.contains(0), unsafe stat(path, &result) == 0 else { return nil }
    self.init(result)
  }

  /// What the system knows about a path's last name itself, not what a link points at; nil where it can't be looked at.
  public init?(ofLinkAt path: String) {
    var result = stat()
    guard !path.utf8.contains(0), unsafe lstat(path, &result) == 0 else { return nil }
    self.init(result)
  }

  /// The path of what a path leads to, without links in it; nil where it leads nowhere.
  public static func resolvedPath(_ path: String) -> String? {
    guard !path.utf8.contains(0), let real = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }

  /// Whether it is the same file, under whatever name.
  public func isSameFile(as other: FileStatus) -> Bool {
    device == other.device && inode == other.inode
  }

  /// Whether it is the same file with, as far as times and size tell, the same bytes.
  func hasSameContents(as other: FileStatus) -> Bool {
    isSameFile(as: other) && size == other.size && modified == other.modified
      && modifiedSecond == other.modifiedSecond
  }
}
