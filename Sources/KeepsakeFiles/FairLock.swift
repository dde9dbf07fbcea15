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
  /// Whether a thread has the lock, or waits for it at the head of the queue. The file's lock belongs to this object:
  /// the system would give it to a second thread as well.
  private let isTaken = Monitor(false)
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
    isTaken.wait { isTaken in
      defer { isTaken = true }
      return isTaken ? nil : ()
    }
    do {
      try file.lock()
    } catch {
      giveUp()
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
      isOurs = try tryLockOutOfTurn()
    } catch {
      try queue.unlock()
      throw error
    }
    try queue.unlock()
    return isOurs
  }

  /// Takes the lock if nobody has it, whoever waits for it; returns whether it is ours. Never waits.
  ///
  /// For whoever has waited for long: the lock of the queue stays with a process that was stopped while it waited, and
  /// then nobody in the queue comes forward.
  public func tryLockOutOfTurn() throws(FileError) -> Bool {
    let isFree = isTaken.withLock { isTaken in
      defer { isTaken = true }
      return !isTaken
    }
    guard isFree else { return false }
    do {
      if try file.tryLock() { return true }
    } catch {
      giveUp()
      throw error
    }
    giveUp()
    return false
  }

  /// Releases the lock, which is held.
  public func unlock() throws(FileError) {
    try file.unlock()
    released.withLock { $0 = .now }
    giveUp()
  }

  private func giveUp() {
    isTaken.withLock { $0 = false }
    isTaken.signal()
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
