#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A lock between processes that takes turns: a process that waits comes before the one that had the lock last.
///
/// The system wakes the waiting processes, but gives the lock to the one that asks first, and a process that has just
/// released it is faster than one that has to wake up. So every process goes through a second lock, the queue, which
/// the first waiting process keeps until it has the lock.
package final class FairLock: Sendable {
  private let file: FileLock
  private let queue: FileLock
  /// Whether a thread has the lock, or waits for it at the head of the queue.
  ///
  /// The file's lock belongs to this object, so the system would give it to a second thread as well.
  private let isTaken = Monitor(false)
  /// The time when this object last released the lock.
  private let released = Locked<Instant?>(nil)

  /// How long the last holder stays out of the queue, in nanoseconds: the time that waiting processes need to wake
  /// up.
  private static let pauseNanoseconds: Int64 = 200_000

  /// Opens both lock files and makes them where they are missing. Takes no lock.
  package init(_ lock: FileLock, queue path: String) throws(FileError) {
    file = lock
    queue = try FileLock(path: path, recordsHolder: false)
  }

  /// Waits until this object has the lock.
  package func lock() throws(FileError) {
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

  /// Takes the lock if nobody has it and nobody waits for it; returns whether it was taken. Never waits.
  package func tryLock() throws(FileError) -> Bool {
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

  /// Takes the lock if nobody has it, even if others wait for it; returns whether it was taken. Never waits.
  ///
  /// This is for a caller that has waited for long: a process that was stopped while it waited keeps the lock of the
  /// queue, so that the queue no longer moves.
  package func tryLockOutOfTurn() throws(FileError) -> Bool {
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

  /// Releases the lock. It must be held.
  package func unlock() throws(FileError) {
    try file.unlock()
    released.withLock { $0 = .now }
    giveUp()
  }

  private func giveUp() {
    isTaken.withLock { $0 = false }
    isTaken.signal()
  }

  /// Returns whether the lock's path still leads to the open file.
  package func isStillInPlace() throws(FileError) -> Bool { try file.isStillInPlace() }

  /// The number of the process that has the lock; nil if none is known. It is meant for messages, never for
  /// decisions.
  package var blocker: Int32? {
    if let holder = file.blocker { return holder }
    #if os(Linux)
      // A process that was stopped while it waited keeps the processes behind it waiting.
      if let first = queue.listedHolder(), first != getpid() { return first }
    #endif
    return nil
  }
}
