import KeepsakeFiles
import KeepsakeSQLite
import Testing

struct WriterCancellationTests {
  let fixture: WriterFixture

  init() throws {
    fixture = try WriterFixture()
  }

  ///     caller                     writer
  ///                                (held)
  ///     write … (waits)
  ///     cancelled: throws
  ///                                (let go) takes nothing
  @Test func `a request that still waits is cancelled at once and writes nothing`() async throws {
    let writer = try fixture.writer()
    let gate = Gate()
    let holder = await writer.hold(at: gate)
    let task = Task { try await writer.write { try $0.insert(1) } }
    await writer.waitForQueue(1)
    task.cancel()
    // The answer comes while the writer is still held.
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(writer.statistics.waiting == 0)
    gate.open()
    try await holder.value
    try await writer.write { try $0.insert(2) }
    #expect(try fixture.stored() == [2])
  }

  ///     caller                     writer
  ///     write …                    takes it, (held inside)
  ///     cancelled
  ///                                (let go) commits
  ///     returns
  @Test func `a request that the writer has taken completes`() async throws {
    let writer = try fixture.writer()
    let gate = Gate()
    let task = Task {
      // So much that the writer's thread does it: none of those that tasks share must stand at the gate.
      try await writer.write(bytes: 1 << 30) { transaction in
        gate.pass()
        try transaction.insert(1)
      }
    }
    await gate.waitForVisitor()
    task.cancel()
    gate.open()
    try await task.value
    #expect(try fixture.stored() == [1])
  }

  @Test func `a task that is cancelled before it asks writes nothing`() async throws {
    let writer = try fixture.writer()
    let gate = Gate()
    let task = Task {
      while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
      try await writer.write { try $0.insert(1) }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    gate.open()
    #expect(try fixture.stored() == [])
  }

  @Test func `an ending is written whatever its task does`() async throws {
    let writer = try fixture.writer()
    let gate = Gate()
    let holder = await writer.hold(at: gate)
    let task = Task {
      while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
      try await writer.writeUncancelled { try $0.insert(1) }
    }
    task.cancel()
    await writer.waitForQueue(1)
    gate.open()
    try await task.value
    try await holder.value
    #expect(try fixture.stored() == [1])
  }

  /// Cancels at any moment, hundreds of times: acknowledged is stored, cancelled is not.
  @Test func `a cancelled request is either written and acknowledged or neither`() async throws {
    let writer = try fixture.writer()
    var acknowledged: [Int] = []
    for round in 0..<50 {
      let tasks = (0..<8).map { number in
        Task { () -> Int in
          try await writer.write { try $0.insert(round * 8 + number) }
          return round * 8 + number
        }
      }
      for task in tasks.reversed() {
        try? await Task.sleep(for: .milliseconds(1))
        task.cancel()
      }
      for task in tasks {
        switch await task.result {
        case .success(let number): acknowledged.append(number)
        case .failure(let error): #expect(error is CancellationError)
        }
      }
    }
    #expect(try fixture.stored() == acknowledged.sorted())
  }

  @Test func `closing finishes what waits and refuses what comes`() async throws {
    let writer = try fixture.writer()
    let gate = Gate()
    let holder = await writer.hold(at: gate)
    var tasks: [Task<Void, any Error>] = []
    for number in 0..<5 {
      tasks.append(Task { try await writer.write { try $0.insert(number) } })
      await writer.waitForQueue(number + 1)
    }
    let closing = Task { await writer.close() }
    // From some moment on, requests are refused though the writer is still held.
    var refusal: (any Error)?
    while refusal == nil {
      let probe = Task { try await writer.write { try $0.insert(100) } }
      try? await Task.sleep(for: .milliseconds(1))
      probe.cancel()
      if case .failure(let error) = await probe.result, error is WriterError { refusal = error }
    }
    #expect(refusal as? WriterError == .closed)
    gate.open()
    await closing.value
    try await holder.value
    for task in tasks { try await task.value }
    #expect(try fixture.stored() == [0, 1, 2, 3, 4])
    #expect(throws: WriterError.closed) { try writer.writeBlocking { try $0.insert(6) } }
    await #expect(throws: WriterError.closed) { try await writer.exclusively { $0.walPages } }
    await writer.close()
    writer.closeBlocking()
  }

  @Test func `a writer that nobody holds any more finishes what waits`() async throws {
    let gate = Gate()
    let tasks: [Task<Void, any Error>]
    do {
      let writer = try fixture.writer()
      let holder = await writer.hold(at: gate)
      let waiting = Task { try await writer.write { try $0.insert(1) } }
      await writer.waitForQueue(1)
      tasks = [holder, waiting]
    }
    gate.open()
    for task in tasks { try await task.value }
    #expect(try fixture.stored() == [1])
  }
}
