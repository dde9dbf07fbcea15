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
  /// When its bytes last changed, in nanoseconds since 1970.
  public let modified: Int64
  /// When its bytes or its status last changed, in nanoseconds since 1970.
  public let changed: Int64
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
      modified = Self.nanoseconds(status.st_mtimespec)
      changed = Self.nanoseconds(status.st_ctimespec)
    #else
      modified = Self.nanoseconds(status.st_mtim)
      changed = Self.nanoseconds(status.st_ctim)
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

  private static func nanoseconds(_ time: timespec) -> Int64 {
    // A file system can give any time; a wild one must not end the process.
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// Whether it is the same file with, as far as times and size tell, the same bytes.
  func hasSameContents(as other: FileStatus) -> Bool {
    device == other.device && inode == other.inode && size == other.size
      && modified == other.modified
  }
}
