#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
#if os(Linux)
  import CKeepsakeCrypto
#endif

/// A file that is made beside its place, under a hidden name, and locked while its maker works on it.
///
/// The system lets go of the lock when the process ends, however it ends: so a file of such a name that nobody has
/// locked is a dead process's, and can be removed (``Directory/removeAbandoned(atMost:)``).
struct HiddenFile: ~Copyable, Sendable {
  let name: String
  let file: FileDescriptor

  init(in directory: Directory, mode: UInt16) throws(FileError) {
    while true {
      let name = Directory.hiddenName()
      let file = try directory.openFile(name, for: .creating(exclusive: true), mode: mode)
      if try directory.claim(name, raw: file.raw) {
        self.name = name
        self.file = file
        return
      }
    }
  }
}

/// A folder that is made beside its place, under a hidden name, and locked while its maker works on it.
///
/// It stays locked until its maker lets go of the folder, also once it is in its place.
public struct HiddenFolder: Sendable {
  public let name: String
  public let folder: Directory

  public init(in directory: Directory, mode: UInt16 = 0o700) throws(FileError) {
    while true {
      let name = Directory.hiddenName()
      // Not durable before it is in its place.
      try directory.makeFolder(name, mode: mode)
      let folder: Directory
      do throws(FileError) { folder = try directory.subdirectory(name) } catch {
        // Somebody took it for an abandoned one, and was quicker than its lock.
        guard error.code == .notFound else { throw error }
        continue
      }
      if try directory.claim(name, raw: folder.raw) {
        self.name = name
        self.folder = folder
        return
      }
    }
  }
}

// MARK: - Names

extension Directory {
  private static let hiddenBeginning = ".keepsake-new-"
  private static let asideBeginning = ".keepsake-old-"

  /// A name that nobody else uses, and that tells what it is.
  static func hiddenName() -> String { name(after: hiddenBeginning) }

  private static func name(after beginning: String) -> String {
    let halves = [UInt64.random(in: 0 ... .max), .random(in: 0 ... .max)]
    return halves.reduce(beginning) { name, half in
      let digits = String(half, radix: 16)
      return name + String(repeating: "0", count: 16 - digits.count) + digits
    }
  }

  /// Whether a name is exactly as ``hiddenName()`` makes it: no other file is ever taken for an abandoned one.
  static func isHiddenName(_ name: String) -> Bool {
    guard name.hasPrefix(hiddenBeginning) else { return false }
    let digits = name.utf8.dropFirst(hiddenBeginning.utf8.count)
    return digits.count == 32
      && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}

// MARK: - Locks

extension Directory {
  /// Locks the folder itself, for as long as it is open; false where somebody else has it locked.
  ///
  /// Where the file system has no locks on folders it says true, too: then nobody else can lock it either, and it is never
  /// taken for an abandoned one.
  func lock() -> Bool { Self.lock(raw) != .taken }

  enum Locking { case ours, taken, impossible }

  static func lock(_ raw: Int32) -> Locking {
    if uninterrupted({ flock(raw, LOCK_EX | LOCK_NB) }) == 0 { return .ours }
    return errno == EWOULDBLOCK ? .taken : .impossible
  }

  /// Locks what was just made under a hidden name; false where somebody took it for an abandoned one in between.
  fileprivate func claim(_ name: String, raw: Int32) throws(FileError) -> Bool {
    if Self.lock(raw) != .taken, try leads(name, to: raw) { return true }
    // It has nothing in it yet, and whoever looked at it may not remove it.
    _ = try? removeTree(name)
    return false
  }

  /// Whether a name stands for what is open.
  func leads(_ name: String, to raw: Int32) throws(FileError) -> Bool {
    var open = stat()
    guard unsafe fstat(raw, &open) == 0 else { throw failure("look at", name) }
    let ours = FileStatus(open)
    guard let there = try status(name) else { return false }
    return there.device == ours.device && there.inode == ours.inode
  }
}

// MARK: - Trading places

extension Directory {
  /// Puts something in the place of something else; gives the hidden name under which that is now.
  ///
  /// Both at once, where the file system can: then a process that ends in between leaves one of them in the place.
  func trade(_ hidden: String, for name: String) throws(FileError) -> String {
    if try exchange(hidden, name) { return hidden }
    // The only copy, for a moment: under a name that nobody ever clears away.
    let aside = Self.name(after: Self.asideBeginning)
    try rename(name, to: self, as: aside)
    do throws(FileError) { try rename(hidden, to: self, as: name) } catch {
      try rename(aside, to: self, as: name)
      throw error
    }
    try rename(aside, to: self, as: hidden)
    return hidden
  }

  /// Gives each of two things the other's name; false where the file system can't.
  private func exchange(_ first: String, _ second: String) throws(FileError) -> Bool {
    try check(first)
    try check(second)
    let result = uninterrupted {
      #if canImport(Darwin)
        unsafe renameatx_np(raw, first, raw, second, UInt32(RENAME_SWAP))
      #else
        unsafe keepsake_exchange(raw, first, second)
      #endif
    }
    if result == 0 { return true }
    switch errno {
    case EINVAL, ENOSYS, ENOTSUP, EOPNOTSUPP, EPERM: return false
    default: throw failure("replace", second)
    }
  }
}
