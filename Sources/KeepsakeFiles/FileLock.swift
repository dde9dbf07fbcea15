#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A lock between processes: `flock(2)` on a file of its own, released when the process ends.
///
/// It is held by this object, not by a thread: threads that share the object don't shut each other
/// out, and two objects on one path do, also within a process.
public final class FileLock: Sendable {
  /// Whether others may hold the lock at the same time.
  public enum Kind: Sendable, Hashable {
    /// Together with others that hold it shared.
    case shared
    /// Alone.
    case exclusive

    var flag: Int32 { self == .shared ? LOCK_SH : LOCK_EX }
  }

  /// The path of the lock file; absolute, so that it stays the same when the process moves.
  public let path: String
  let file: FileDescriptor
  /// What the file was when it was opened, and will always be.
  private let identity: FileStatus
  private let recordsHolder: Bool

  /// Opens the lock file and makes it where it is missing. Takes no lock.
  ///
  /// On a file system that can't be written a file that is there is used as it is.
  /// - Parameters:
  ///   - path: Where the file is.
  ///   - recordsHolder: Whether the process that takes the lock writes its number into the file, for messages. Where
  ///     the system itself can be asked that costs each process that takes its turn a write for nothing.
  public init(
    path: String, recordsHolder: Bool = !FileLock.areHoldersListed
  ) throws(FileError) {
    try checkPath(path)
    let path = try Self.absolute(path)
    // A pipe or a link in place of the file must neither hang us nor lead us elsewhere.
    let flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
    var raw = uninterrupted { unsafe open(path, O_RDWR | O_CREAT | flags, 0o600) }
    var isWritable = true
    if raw < 0, errno == EROFS || errno == EACCES {
      raw = uninterrupted { unsafe open(path, O_RDONLY | flags) }
      isWritable = false
    }
    guard raw >= 0 else {
      throw FileError(errno: errno, "Can't open the lock file '\(path)'", path: path)
    }
    // It may have a second name, of a file that nothing but SQLite may close.
    let file = FileDescriptor(raw: raw, path: path, lookedAt: 0)
    identity = try file.status()
    guard identity.isRegular else {
      throw FileError(
        code: .notRegular,
        message: "Can't use '\(path)' as a lock file: it is not a regular file. Remove it.",
        path: path)
    }
    guard identity.links <= 1 else {
      throw FileError(
        code: .notRegular,
        message: "Can't use '\(path)' as a lock file: it is another file's second name. Remove it.",
        path: path)
    }
    self.path = path
    self.file = file
    self.recordsHolder = recordsHolder && isWritable
  }

  /// Opens a lock file that is there, to look whether anybody has it locked. Takes no lock, and makes nothing.
  public init(existing name: String, in folder: Directory) throws(FileError) {
    file = try folder.openFile(name)
    identity = try file.status()
    path = try Self.absolute(folder.path(of: name))
    recordsHolder = false
  }

  private static func absolute(_ path: String) throws(FileError) -> String {
    if path.hasPrefix("/") { return path }
    guard let folder = unsafe getcwd(nil, 0) else {
      throw FileError(errno: errno, "Can't tell where '\(path)' is", path: path)
    }
    defer { unsafe free(folder) }
    return unsafe String(cString: folder) + "/" + path
  }
}

extension FileLock {
  /// Waits until the lock is ours; the system lets those that wait take turns.
  ///
  /// Holding it the other way already, this gives it up before it waits.
  public func lock(_ kind: Kind = .exclusive) throws(FileError) {
    guard uninterrupted({ flock(file.raw, kind.flag) }) == 0 else { throw failure("lock") }
    if kind == .exclusive { recordHolder() }
  }

  /// Takes the lock if nobody holds it against us; returns whether it is ours. Never waits.
  public func tryLock(_ kind: Kind = .exclusive) throws(FileError) -> Bool {
    if uninterrupted({ flock(file.raw, kind.flag | LOCK_NB) }) == 0 {
      if kind == .exclusive { recordHolder() }
      return true
    }
    if errno == EWOULDBLOCK { return false }
    throw failure("lock")
  }

  /// Tries until the lock is ours or the deadline passes; returns whether it is ours.
  ///
  /// It asks every few milliseconds, so those who wait in ``lock(_:)`` come first.
  public func lock(_ kind: Kind = .exclusive, until deadline: Instant) throws(FileError) -> Bool {
    var pauses = Pauses(until: deadline)
    while true {
      if try tryLock(kind) { return true }
      if !pauses.wait() { return false }
    }
  }

  /// Releases the lock; does nothing if it isn't held.
  public func unlock() throws(FileError) {
    guard uninterrupted({ flock(file.raw, LOCK_UN) }) == 0 else { throw failure("unlock") }
  }

  /// Whether the path still leads to the file that we have open.
  ///
  /// If it doesn't, somebody moved or replaced it, and holding the lock means nothing. Costs a call of the system, about
  /// a microsecond.
  public func isStillInPlace() throws(FileError) -> Bool {
    var there = stat()
    guard unsafe path.withCString({ unsafe lstat($0, &there) }) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return false }
      throw failure("look at")
    }
    let status = FileStatus(there)
    return status.device == identity.device && status.inode == identity.inode
  }

  private func failure(_ action: String) -> FileError {
    FileError(errno: errno, "Can't \(action) the lock file '\(path)'", path: path)
  }
}

extension FileLock {
  /// The process that last took the lock exclusively; nil if none is known.
  ///
  /// It need not hold it any more. For messages, never for decisions.
  public var holder: Int32? {
    guard var digits = recorded() else { return nil }
    var number: Int32 = 0
    for _ in 0..<8 {
      let digit = digits & 0xff
      guard (48...57).contains(digit) else { return nil }
      number = number * 10 + Int32(digit - 48)
      digits >>= 8
    }
    return number > 0 ? number : nil
  }

  /// The eight digits that stand in the file, the first one in the lowest byte.
  private func recorded() -> UInt64? {
    var digits: UInt64 = 0
    guard uninterrupted({ unsafe pread(file.raw, &digits, 8, 0) }) == 8 else { return nil }
    return UInt64(littleEndian: digits)
  }

  private func recordHolder() {
    guard recordsHolder else { return }
    var digits: UInt64 = 0
    var rest = ProcessNumber.current
    for _ in 0..<8 {
      digits = digits << 8 | UInt64(48 + rest % 10)
      rest /= 10
    }
    // Mostly the same process takes it again; reading is cheaper than dirtying the file.
    guard recorded() != digits else { return }
    // A disk so full that eight bytes don't fit must not stop those who need the lock to make
    // room. What is lost is a number in a message, so this is the one write that may fail.
    var bytes = digits.littleEndian
    _ = unsafe pwrite(file.raw, &bytes, 8, 0)
  }
}
