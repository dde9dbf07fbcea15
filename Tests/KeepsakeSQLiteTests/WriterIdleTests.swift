import KeepsakeFiles
import KeepsakeSQLite
import Testing

struct WriterIdleTests {
  let fixture: WriterFixture

  init() throws {
    fixture = try WriterFixture()
  }

  /// Waits until the value is as wanted.
  private func wait<V>(for value: Locked<V>, _ isRight: (V) -> Bool) async {
    while !value.withLock({ isRight($0) }) { try? await Task.sleep(for: .milliseconds(1)) }
  }

  @Test func `idle work runs piece by piece until there is no more, and again after a write`()
    async throws
  {
    let pieces = Locked(0)
    let idle = Writer.IdleWork(after: .milliseconds(1)) { transaction in
      let piece = pieces.withLock {
        $0 += 1
        return $0
      }
      try transaction.insert(-piece)
      return piece < 3
    }
    let writer = try fixture.writer(.init(lock: fixture.fairLock(), idle: idle))
    await wait(for: pieces) { $0 == 3 }
    try await writer.write { try $0.insert(1) }
    await wait(for: pieces) { $0 == 4 }
    await writer.close()
    #expect(try fixture.stored() == [-4, -3, -2, -1, 1])
  }

  @Test func `what comes last runs outside of a transaction, and only once there is no more`()
    async throws
  {
    let order = Locked([String]())
    var idle = Writer.IdleWork(after: .milliseconds(1)) { _ in
      order.withLock {
        $0.append("piece")
        return $0.count < 2
      }
    }
    idle.last = { db in
      #expect(!db.isInTransaction)
      return order.withLock {
        $0.append("last")
        return $0.count < 4
      }
    }
    let writer = try fixture.writer(.init(lock: fixture.fairLock(), idle: idle))
    await wait(for: order) { $0.count >= 5 }
    await writer.close()
    #expect(order.withLock { $0 } == ["piece", "piece", "last", "piece", "last"])
  }

  @Test func `a request goes before the next piece`() async throws {
    let gate = Gate()
    let order = Locked([String]())
    let idle = Writer.IdleWork(after: .milliseconds(1)) { _ in
      gate.pass()
      return order.withLock {
        $0.append("piece")
        return $0.count < 3
      }
    }
    let writer = try fixture.writer(.init(idle: idle))
    await gate.waitForVisitor()
    let task = Task { try await writer.write { _ in order.withLock { $0.append("request") } } }
    await writer.waitForQueue(1)
    gate.open()
    try await task.value
    await wait(for: order) { $0.count >= 3 }
    #expect(order.withLock { Array($0.prefix(2)) } == ["piece", "request"])
    await writer.close()
  }

  @Test func `an error undoes the piece, is told, and the work rests`() async throws {
    let failures = Locked(0)
    let idle = Writer.IdleWork(after: .milliseconds(1)) { transaction in
      try transaction.insert(-1)
      transaction.afterCommit { Issue.record("It was not committed") }
      throw Refusal()
    } failed: { error in
      #expect(error is Refusal)
      failures.withLock { $0 += 1 }
    }
    let writer = try fixture.writer(.init(idle: idle))
    await wait(for: failures) { $0 == 1 }
    try await writer.write { try $0.insert(1) }
    await wait(for: failures) { $0 == 2 }
    await writer.close()
    #expect(failures.withLock { $0 } == 2)
    #expect(try fixture.stored() == [1])
  }

  @Test func `idle work gives way to another process`() async throws {
    let pieces = Locked(0)
    let other = try fixture.lock()
    try other.lock(.exclusive)
    let idle = Writer.IdleWork(after: .milliseconds(1)) { _ in
      pieces.withLock { $0 += 1 }
      return false
    }
    let writer = try fixture.writer(.init(lock: fixture.fairLock(), idle: idle))
    // Nothing waits for the lock, so closing need not wait either.
    let began = Instant.now
    while Instant.now - began < .milliseconds(20) { try? await Task.sleep(for: .milliseconds(1)) }
    #expect(pieces.withLock { $0 } == 0)
    try other.unlock()
    await wait(for: pieces) { $0 == 1 }
    await writer.close()
  }
}
