import KeepsakeFiles
import Testing

@Suite struct `A fair lock` {
  let temporary: TemporaryFolder

  init() throws { temporary = try TemporaryFolder() }

  private func fairLock() throws -> FairLock {
    try FairLock(
      FileLock(path: temporary.path("store.lock")), queue: temporary.path("queue.lock"))
  }

  @Test func `is held by one`() throws {
    let first = try fairLock()
    let second = try fairLock()
    #expect(try first.tryLock())
    #expect(try second.tryLock() == false)
    try first.unlock()
    #expect(try second.tryLock())
  }

  @Test func `comes to whoever waits before whoever had it last`() throws {
    // holder                      waiter
    // lock
    //                             lock … (first in the queue)
    // unlock, asks again: no
    //                             … has it
    let holder = try fairLock()
    let waiter = try fairLock()
    let queue = try FileLock(path: temporary.path("queue.lock"), recordsHolder: false)
    let hadIt = Monitor(false)
    let mayGo = Monitor(false)
    try holder.lock()
    let thread = WorkerThread(name: "waiter") {
      do {
        try waiter.lock()
        hadIt.withLock { $0 = true }
        mayGo.wait { $0 ? () : nil }
        try waiter.unlock()
      } catch {
        Issue.record(error)
      }
    }
    while try queue.tryLock() { try queue.unlock() }
    for _ in 0..<1000 {
      try holder.unlock()
      #expect(try holder.tryLock() == false)
    }
    mayGo.withLock { $0 = true }
    mayGo.signal()
    thread.join()
    #expect(hadIt.withLock { $0 })
    #expect(try holder.tryLock())
  }

  @Test
  func
    `is asked for without a number in the queue's file, or in its own where the system knows it`()
    throws
  {
    let lock = try fairLock()
    #expect(try lock.tryLock())
    #expect(try temporary.read("queue.lock") == [])
    #expect(try temporary.read("store.lock").count == (FileLock.areHoldersListed ? 0 : 8))
  }

  @Test func `lets go of the queue when it can't have the lock`() throws {
    let other = try FileLock(path: temporary.path("store.lock"))
    try other.lock()
    let lock = try fairLock()
    #expect(try lock.tryLock() == false)
    try other.unlock()
    #expect(try fairLock().tryLock())
  }

  @Test func `comes to who asks out of turn, where nobody has it`() throws {
    let stopped = try FileLock(path: temporary.path("queue.lock"), recordsHolder: false)
    try stopped.lock()
    let (first, second) = (try fairLock(), try fairLock())
    #expect(try first.tryLock() == false)
    #expect(try first.tryLockOutOfTurn())
    #expect(try first.tryLockOutOfTurn() == false, "it is this object's already")
    #expect(try second.tryLockOutOfTurn() == false)
    try first.unlock()
    #expect(try second.tryLockOutOfTurn())
    try second.unlock()
    try stopped.unlock()
    #expect(try first.tryLock())
  }

  @Test func `is one thread's at a time, whichever way it came to it`() throws {
    // here                        waiter, with the same object
    //                             lock … (in the queue, which stands still)
    // has it, out of turn
    // the queue moves             … (first in the queue, and not let in)
    // unlock                      has it
    let stopped = try FileLock(path: temporary.path("queue.lock"), recordsHolder: false)
    try stopped.lock()
    let lock = try fairLock()
    let inside = Locked(0)
    let hadIt = Locked(false)
    #expect(try lock.tryLockOutOfTurn())
    inside.withLock { $0 += 1 }
    let thread = WorkerThread(name: "waiter") {
      do {
        try lock.lock()
        #expect(inside.withLock { $0 } == 0)
        hadIt.withLock { $0 = true }
        try lock.unlock()
      } catch {
        Issue.record(error)
      }
    }
    try stopped.unlock()
    // It is in the queue, and is not let in.
    while try stopped.tryLock() { try stopped.unlock() }
    #expect(hadIt.withLock { $0 } == false)
    inside.withLock { $0 -= 1 }
    try lock.unlock()
    thread.join()
    #expect(hadIt.withLock { $0 })
  }
}
