import KeepsakeFiles
import Testing

@testable import KeepsakeSQLite

/// Requests that run where they come from, because nobody else wants anything.
struct WriterCallerTests {
  let fixture: WriterFixture

  init() throws { fixture = try WriterFixture() }

  /// The thread that a request runs on, and the one that asked for it.
  private func threads(_ writer: Writer, bytes: Int = 0) async throws -> [ThreadIdentity] {
    try await onThread { [try writer.writeBlocking(bytes: bytes) { _ in .current }, .current] }
  }

  @Test func `a small request that is alone runs on its caller's thread`() async throws {
    let writer = try fixture.writer(.init(lock: fixture.fairLock()))
    // The writer's thread has its turn until it sleeps for the first time.
    var small = try await threads(writer)
    while small[0] != small[1] { small = try await threads(writer) }
    let large = try await threads(writer, bytes: 1 << 20)
    #expect(large[0] != large[1])
    await writer.close()
  }

  @Test func `a loop of writes lets the tasks that share its thread go first, time and again`()
    async throws
  {
    let writer = try fixture.writer()
    _ = try await threads(writer)
    let written = Locked(0)
    let executor = OneThread()
    // Nothing runs before all that is to share the thread is there.
    let loop = Task(executorPreference: executor) {
      for _ in 0..<40 {
        try await writer.write { _ in }
        written.withLock { $0 += 1 }
      }
    }
    let other = Task(executorPreference: executor) {
      var seen: [Int] = []
      while (seen.last ?? 0) < 40 {
        seen.append(written.withLock { $0 })
        await Task.yield()
      }
      return seen
    }
    executor.start()
    try await loop.value
    // It looks each time that it gets the thread: in between there are never more than eight, and one that the writer's
    // thread had when it looked.
    let seen = await other.value
    for (earlier, later) in zip(seen, seen.dropFirst()) { #expect(later - earlier <= 9) }
    executor.stop()
    await writer.close()
  }

  @Test func `a loop that blocks a thread of its own keeps the connection`() async throws {
    let writer = try fixture.writer()
    let own = try await onThread {
      while try writer.writeBlocking({ _ in ThreadIdentity.current }) != .current {}
      return try (0..<40).count { _ in
        try writer.writeBlocking { _ in ThreadIdentity.current } == .current
      }
    }
    #expect(own > 8)
    await writer.close()
  }

  @Test func `what a request wants done meanwhile is done once, and its body may wait for it`()
    async throws
  {
    let writer = try fixture.writer()
    let gate = Gate()
    let holder = await writer.hold(at: gate)
    let (made, runs) = (Monitor(0), Locked(0))
    let request = Task {
      try await writer.write(meanwhile: { [made] in
        made.withLock { $0 += 1 }
        made.broadcast()
      }) { transaction in
        runs.withLock { $0 += 1 }
        made.wait { $0 > 0 ? () : nil }
        try transaction.insert(1)
      }
    }
    await writer.waitForQueue(1)
    // It takes the common transaction with it, so that the other one runs again.
    let spoiler = Task { try await writer.write { try $0.db.execute("ROLLBACK") } }
    await writer.waitForQueue(2)
    gate.open()
    try await holder.value
    try await request.value
    await #expect(throws: WriterError.transactionLost) { try await spoiler.value }
    #expect(runs.withLock { $0 } == 2)
    #expect(made.withLock { $0 } == 1)
    #expect(try fixture.stored() == [1])
    // Alone, it still goes to the writer's thread: on its caller's it would wait for ever.
    let alone = Monitor(false)
    try await writer.write(meanwhile: {
      alone.withLock { $0 = true }
      alone.broadcast()
    }) { transaction in
      alone.wait { $0 ? () : nil }
      try transaction.insert(2)
    }
    #expect(try fixture.stored() == [1, 2])
    await writer.close()
  }

  @Test func `what comes meanwhile is served after it`() async throws {
    let writer = try fixture.writer()
    let gate = Gate()
    let caller = WorkerThread(name: "caller") {
      do {
        try writer.writeBlocking {
          gate.pass()
          try $0.insert(1)
        }
      } catch { Issue.record(error) }
    }
    await gate.waitForVisitor()
    let tasks = (2...5).map { number in Task { try await writer.write { try $0.insert(number) } } }
    await writer.waitForQueue(4)
    #expect(try fixture.stored() == [])
    gate.open()
    for task in tasks { try await task.value }
    caller.join()
    #expect(try fixture.stored() == [1, 2, 3, 4, 5])
    #expect(writer.statistics.commits == 2)
    await writer.close()
  }

  @Test func `closing and resting wait for it`() async throws {
    let writer = try fixture.writer()
    let gate = Gate()
    let isWritten = Locked(false)
    let caller = WorkerThread(name: "caller") {
      do {
        try writer.writeBlocking {
          gate.pass()
          try $0.insert(1)
          isWritten.withLock { $0 = true }
        }
      } catch { Issue.record(error) }
    }
    await gate.waitForVisitor()
    async let rested: Void = writer.rest()
    async let closed: Void = writer.close()
    gate.open()
    await rested
    #expect(isWritten.withLock { $0 })
    await closed
    caller.join()
    #expect(try fixture.stored() == [1])
  }

  @Test func `it never waits for another process: the writer's thread does`() async throws {
    let other = try fixture.lock()
    try other.lock()
    let writer = try fixture.writer(.init(lock: fixture.fairLock()))
    let task = Task { try await writer.write { try $0.insert(1) } }
    await writer.waitForQueue(1)
    try other.unlock()
    try await task.value
    #expect(try fixture.stored() == [1])
    await writer.close()
  }

  @Test func `its error is its own, and leaves nothing`() async throws {
    let writer = try fixture.writer(.init(lock: fixture.fairLock()))
    for number in 0..<3 {
      await #expect(throws: Refusal(number: number)) {
        try await writer.write {
          try $0.insert(number)
          throw Refusal(number: number)
        }
      }
    }
    try await writer.write { try $0.insert(7) }
    #expect(try fixture.stored() == [7])
    #expect(writer.statistics.requests == 4)
    #expect(writer.statistics.commits == 1)
    #expect(try fixture.lock().tryLock())
    await writer.close()
  }
}

/// Runs tasks one after the other, on one thread.
private final class OneThread: TaskExecutor {
  private let jobs = Monitor<(waiting: [UnownedJob], isOver: Bool)>(([], false))

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.waiting.append(job) }
    jobs.signal()
  }

  func start() {
    let executor = asUnownedTaskExecutor()
    _ = WorkerThread(name: "one for all") { [jobs] in
      while true {
        let job: UnownedJob?? = jobs.wait { jobs in
          jobs.waiting.isEmpty
            ? (jobs.isOver ? .some(nil) : nil) : .some(jobs.waiting.removeFirst())
        }
        guard case .some(.some(let next)) = job else { return }
        next.runSynchronously(on: executor)
      }
    }
  }

  func stop() {
    jobs.withLock { $0.isOver = true }
    jobs.signal()
  }
}
