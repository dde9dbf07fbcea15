@testable import KeepsakeFiles
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

@Suite struct `A file lock` {
  let temporary: TemporaryFolder
  var path: String { temporary.path("store.lock") }

  init() throws { temporary = try TemporaryFolder() }

  @Test func `is held by one, or shared by several`() throws {
    let first = try FileLock(path: path)
    let second = try FileLock(path: path)
    try first.lock()
    #expect(try second.tryLock() == false)
    #expect(try second.tryLock(.shared) == false)
    try first.unlock()
    #expect(try second.tryLock(.shared))
    #expect(try first.tryLock(.shared))
    #expect(try first.tryLock(.exclusive) == false)
    try second.unlock()
    try first.unlock()
    #expect(try first.tryLock())
    #expect(try temporary.directory.status("store.lock")?.mode == 0o600)
  }

  @Test func `is released when its object goes`() throws {
    let second = try FileLock(path: path)
    do {
      let first = try FileLock(path: path)
      try first.lock()
      #expect(try second.tryLock() == false)
    }
    #expect(try second.tryLock())
  }

  @Test func `makes another wait until it is released`() throws {
    // holder                     waiter
    // lock
    //                            lock … (blocks)
    // order: [holder]
    // unlock
    //                            … has it; order: [holder, waiter]
    let holder = try FileLock(path: path)
    let waiter = try FileLock(path: path)
    let order = Locked<[String]>([])
    let started = Monitor(false)
    try holder.lock()
    let thread = WorkerThread(name: "waiter") {
      started.withLock { $0 = true }
      started.signal()
      do {
        try waiter.lock()
        order.withLock { $0.append("waiter") }
      } catch {
        order.withLock { $0.append("\(error)") }
      }
    }
    #expect(started.wait { $0 ? true : nil } == true)
    order.withLock { $0.append("holder") }
    try holder.unlock()
    thread.join()
    #expect(order.withLock { $0 } == ["holder", "waiter"])
  }

  @Test func `gives up at its deadline`() throws {
    let holder = try FileLock(path: path)
    let waiter = try FileLock(path: path)
    try holder.lock()
    let deadline = Instant.now.advanced(by: .milliseconds(20))
    #expect(try waiter.lock(until: deadline) == false)
    #expect(Instant.now >= deadline)
    try holder.unlock()
    #expect(try waiter.lock(until: .now.advanced(by: .seconds(-1))))
  }

  @Test func `names its holder`() throws {
    let lock = try FileLock(path: path, recordsHolder: true)
    #expect(lock.holder == nil)
    try lock.lock(.shared)
    #expect(lock.holder == nil)
    try lock.lock()
    #expect(try FileLock(path: path).holder == getpid())
    let digits = try temporary.read("store.lock")
    #expect(digits.count == 8)
    #expect(Int32(String(decoding: digits, as: UTF8.self)) == getpid())
  }

  @Test(arguments: ["", "1234567", "12 45678", "00000000", "-0000001"])
  func `names nobody when something else stands in its file`(text: String) throws {
    try temporary.write("store.lock", Array(text.utf8))
    let lock = try FileLock(path: path, recordsHolder: true)
    #expect(lock.holder == nil)
    try lock.lock()
    #expect(lock.holder == getpid())
  }

  @Test func `writes its holder only when that changed`() throws {
    let lock = try FileLock(path: path, recordsHolder: true)
    try lock.lock()
    try lock.unlock()
    let before = try temporary.directory.status("store.lock")
    try lock.lock()
    #expect(try temporary.directory.status("store.lock") == before)
  }

  @Test func `notices that its file was moved, removed or replaced`() throws {
    let lock = try FileLock(path: path)
    #expect(try lock.isStillInPlace())
    try temporary.directory.rename("store.lock", to: temporary.directory, as: "moved")
    #expect(try lock.isStillInPlace() == false)
    try temporary.write("store.lock", [])
    #expect(try lock.isStillInPlace() == false)
    try temporary.directory.rename("moved", to: temporary.directory, as: "store.lock")
    #expect(try lock.isStillInPlace())
  }

  @Test(.timeLimit(.minutes(60)))
  func `refuses a link and a pipe in place of its file`() throws {
    temporary.link("link", to: path)
    temporary.pipe("pipe")
    let link = temporary.path("link")
    let pipe = temporary.path("pipe")
    #expect(fileError { () throws(FileError) in _ = try FileLock(path: link) }?.code == .link)
    #expect(
      fileError { () throws(FileError) in _ = try FileLock(path: pipe) }?.code == .notRegular)
    let missing = temporary.path("no/store.lock")
    #expect(
      fileError { () throws(FileError) in _ = try FileLock(path: missing) }?.code == .notFound)
  }

  #if os(Linux)
    @Test(.timeLimit(.minutes(60)))
    func `shuts out another process, which releases it when it is killed`() throws {
      let ready = temporary.path("ready")
      precondition(mkfifo(ready, 0o600) == 0)
      let lock = try FileLock(path: path, recordsHolder: true)
      // One process: it takes the lock, tells us through the pipe, and holds on until it is killed.
      let child = try Child(
        [
          "/usr/bin/flock", "--no-fork", path,
          "/bin/sh", "-c", "echo ready > '\(ready)'; exec sleep 3600",
        ],
        output: temporary.path("out"))
      #expect(
        try FileDescriptor(openingAnything: ready).readAll(limit: 10) == Array("ready\n".utf8))
      #expect(try lock.tryLock() == false)
      #expect(try lock.lock(until: .now.advanced(by: .milliseconds(5))) == false)
      child.end()
      try lock.lock()
      #expect(lock.holder == getpid())
    }
  #endif
}
