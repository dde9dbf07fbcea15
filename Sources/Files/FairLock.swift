#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A lock between processes that takes turns: whoever waits for it comes before whoever had it last.
///
/// The system wakes those that wait for a file lock, but gives it to who asks first, and a process that has just let go
/// of it is quicker than one that has to wake. So whoever wants it goes through a second lock, the queue, which the
/// first of those that wait keeps until the lock is its own.
public final class FairLock: Sendable {
  private let file: FileLock
  private let queue: FileLock
  /// When it was ours last.
  private let released = Locked<Instant?>(nil)

  /// How long whoever just had it stays out of the queue: as long as it takes those in it to wake up and move on.
  private static let pauseNanoseconds: Int64 = 200_000

  /// Opens both lock files and makes them where they are missing. Takes no lock.
  public init(_ lock: FileLock, queue path: String) throws(FileError) {
    file = lock
    queue = try FileLock(path: path, recordsHolder: false)
  }

  /// Waits until the lock is ours.
  public func lock() throws(FileError) {
    if let last = released.withLock({ $0 }),
      Instant.now.nanoseconds - last.nanoseconds < Self.pauseNanoseconds
    {
      var pause = timespec(nanoseconds: Self.pauseNanoseconds)
      unsafe nanosleep(&pause, nil)
    }
    try queue.lock()
    do {
      try file.lock()
    } catch {
      try queue.unlock()
      throw error
    }
    try queue.unlock()
  }

  /// Takes the lock if nobody has it and nobody waits for it; returns whether it is ours. Never waits.
  public func tryLock() throws(FileError) -> Bool {
    guard try queue.tryLock() else { return false }
    let isOurs: Bool
    do {
      isOurs = try file.tryLock()
    } catch {
      try queue.unlock()
      throw error
    }
    try queue.unlock()
    return isOurs
  }

  /// Releases the lock; does nothing if it isn't held.
  public func unlock() throws(FileError) {
    try file.unlock()
    released.withLock { $0 = .now }
  }

  /// Whether the lock's path still leads to the file that we have open.
  public func isStillInPlace() throws(FileError) -> Bool { try file.isStillInPlace() }

  /// The process that is in the way; nil if none is known. For messages, never for decisions.
  public var blocker: Int32? {
    if let holder = file.blocker { return holder }
    #if os(Linux)
      // One that was stopped while it waited keeps those behind it waiting.
      if let first = queue.listedHolder(), first != getpid() { return first }
    #endif
    return nil
  }
}
