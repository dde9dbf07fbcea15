#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A lock between processes: `flock(2)` on a file of its own, which is released when the process ends.
///
/// The lock belongs to this object, and not to a thread: threads that share the object don't shut each other out, and
/// two objects on one path do, even within a process.
package final class FileLock: Sendable {
  /// Whether others may hold the lock at the same time.
  package enum Kind: Sendable, Hashable {
    /// The lock is held together with others that hold it shared.
    case shared
    /// The lock is held alone.
    case exclusive

    var flag: Int32 { self == .shared ? LOCK_SH : LOCK_EX }
  }

  /// The absolute path of the lock file, which stays valid when the process changes its folder.
  package let path: String
  let file: FileDescriptor
  /// The status of the file when it was opened, which identifies the file.
  private let identity: FileStatus
  private let recordsHolder: Bool

  /// Opens the lock file, and makes it where it is missing. Takes no lock.
  ///
  /// On a file system that can't be written, an existing file is used as it is.
  /// - Parameters:
  ///   - path: The path of the lock file.
  ///   - recordsHolder: Whether the process that takes the lock writes its number into the file, for messages. Where
  ///     the system tells the holder, this would cost a needless write for each turn.
  /// - Throws: `FileError`, when the file can't be opened, or is no regular file.
  package init(
    path: String, recordsHolder: Bool = !FileLock.areHoldersListed
  ) throws(FileError) {
    try checkPath(path)
    let path = try Self.absolute(path)
    // With these flags, a pipe in place of the file does not block, and a link is not followed.
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
    // The file may have a second name, under which only SQLite may close it.
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

  /// Opens an existing lock file, to see whether anybody has it locked. Takes no lock, and makes nothing.
  package init(existing name: String, in folder: Directory) throws(FileError) {
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
  /// Waits until this object has the lock. The system lets waiting processes take turns.
  ///
  /// An object that holds the lock in the other way releases it before it waits.
  package func lock(_ kind: Kind = .exclusive) throws(FileError) {
    guard uninterrupted({ flock(file.raw, kind.flag) }) == 0 else { throw failure("lock") }
    if kind == .exclusive { recordHolder() }
  }

  /// Takes the lock if nobody holds it in a way that excludes it; returns whether it was taken. Never waits.
  package func tryLock(_ kind: Kind = .exclusive) throws(FileError) -> Bool {
    if uninterrupted({ flock(file.raw, kind.flag | LOCK_NB) }) == 0 {
      if kind == .exclusive { recordHolder() }
      return true
    }
    if errno == EWOULDBLOCK { return false }
    throw failure("lock")
  }

  /// Tries to take the lock until the deadline; returns whether it was taken.
  ///
  /// It asks every few milliseconds, so processes that wait in ``lock(_:)`` come first.
  package func lock(_ kind: Kind = .exclusive, until deadline: Instant) throws(FileError) -> Bool {
    var pauses = Pauses(until: deadline)
    while true {
      if try tryLock(kind) { return true }
      if !pauses.wait() { return false }
    }
  }

  /// Releases the lock; does nothing if it is not held.
  package func unlock() throws(FileError) {
    guard uninterrupted({ flock(file.raw, LOCK_UN) }) == 0 else { throw failure("unlock") }
  }

  /// Returns whether the path still leads to the open lock file.
  ///
  /// If it does not, the file was moved or replaced, and holding the lock means nothing. The check costs one system
  /// call, about a microsecond.
  package func isStillInPlace() throws(FileError) -> Bool {
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
  /// The number of the process that last took the lock exclusively; nil if none is known.
  ///
  /// The process may have released the lock since. The number is meant for messages, never for decisions.
  package var holder: Int32? {
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

  /// The eight digits in the file, with the first digit in the lowest byte.
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
    // Mostly the same process takes the lock again, and reading is cheaper than making the file dirty.
    guard recorded() != digits else { return }
    // A disk without room for eight bytes must not stop a process that needs the lock to make room. Only a number in
    // a message is lost, so this is the one write that may fail.
    var bytes = digits.littleEndian
    _ = unsafe pwrite(file.raw, &bytes, 8, 0)
  }
}
