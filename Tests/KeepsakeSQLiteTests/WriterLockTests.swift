import KeepsakeFiles
import Foundation
import KeepsakeSQLite
import Testing

struct WriterLockTests {
  let fixture: WriterFixture

  init() throws {
    fixture = try WriterFixture()
  }

  private func configuration(patience: Duration = .seconds(30)) throws -> Writer.Configuration {
    var configuration = Writer.Configuration(lock: try fixture.fairLock())
    configuration.patience = patience
    return configuration
  }

  @Test func `the lock is held while a request runs, and free between`() async throws {
    let other = try fixture.lock()
    let writer = try fixture.writer(configuration())
    let wasFree = try await writer.write { transaction in
      try transaction.insert(1)
      return try other.tryLock(.exclusive)
    }
    #expect(!wasFree)
    // Who has the answer finds the lock free, whether its own thread wrote or, what is large, the writer's.
    for bytes in [0, 1 << 20] {
      for number in 0..<50 {
        try await writer.write(bytes: bytes) { try $0.insert(bytes + 2 + number) }
        #expect(try other.tryLock(.exclusive))
        try other.unlock()
      }
    }
    #expect(try await writer.exclusively { _ in try other.tryLock(.exclusive) } == false)
    await writer.close()
    #expect(try other.tryLock(.exclusive))
  }

  ///     other            writer's thread      watch
  ///     (has the lock)   waits for it
  ///                                           patience over: the request throws
  ///     (releases)       has it, takes nothing
  @Test func `patience ends, names the holder, and the request is not written`() async throws {
    let other = try fixture.lock()
    try other.lock(.exclusive)
    let writer = try fixture.writer(configuration(patience: .milliseconds(50)))
    let began = Instant.now
    let pid = ProcessInfo.processInfo.processIdentifier
    for number in 0..<3 {
      await #expect(throws: WriterError.lockTimeout(holder: pid)) {
        try await writer.write { try $0.insert(number) }
      }
    }
    #expect(Instant.now - began >= .milliseconds(150))
    #expect("\(WriterError.lockTimeout(holder: pid))".contains("process \(pid)"))
    try other.unlock()
    // Trying again is safe: nothing was written.
    try await writer.write { try $0.insert(0) }
    #expect(try fixture.stored() == [0])
    await writer.close()
  }

  @Test func `a request that waits for the lock is written when it comes`() async throws {
    let other = try fixture.lock()
    try other.lock(.exclusive)
    let writer = try fixture.writer(configuration())
    let tasks = (0..<5).map { number in Task { try await writer.write { try $0.insert(number) } } }
    await writer.waitForQueue(5)
    try other.unlock()
    for task in tasks { try await task.value }
    #expect(try fixture.stored() == [0, 1, 2, 3, 4])
    // They all came while the writer waited, so they share its turn.
    #expect(writer.statistics.commits == 1)
  }

  @Test func `a request can be cancelled while another process has the lock`() async throws {
    let other = try fixture.lock()
    try other.lock(.exclusive)
    let writer = try fixture.writer(configuration())
    let task = Task { try await writer.write { try $0.insert(1) } }
    await writer.waitForQueue(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try other.unlock()
    await writer.close()
    #expect(try fixture.stored() == [])
  }

  @Test func `closing does not wait for another process once nobody else does`() async throws {
    let other = try fixture.lock()
    try other.lock(.exclusive)
    let writer = try fixture.writer(configuration(patience: .milliseconds(50)))
    let task = Task { try await writer.write { try $0.insert(1) } }
    await writer.waitForQueue(1)
    await writer.close()
    await #expect(throws: WriterError.self) { try await task.value }
    await writer.close()
    try other.unlock()
  }

  /// Each goes on until the other has had its turns, too: were one shut out while the other writes, this would not end.
  @Test(.timeLimit(.minutes(60))) func `two writers take turns`() async throws {
    let writers = [try fixture.writer(configuration()), try fixture.writer(configuration())]
    let turns = Locked([0, 0])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, writer) in writers.enumerated() {
        group.addTask {
          var number = 0
          while turns.withLock({ $0.contains { $0 < 100 } }) {
            try await writer.write { [number] in try $0.insert(index * 1_000_000 + number) }
            number += 1
            turns.withLock { $0[index] = number }
          }
        }
      }
      try await group.waitForAll()
    }
    let made = turns.withLock { $0 }
    #expect(try fixture.stored() == Array(0..<made[0]) + Array(1_000_000..<(1_000_000 + made[1])))
  }

  ///     another process        writer a        writer b
  ///     first in the queue,
  ///     and stopped there
  ///                            waits in it     waits in it
  ///     …                      writes          writes
  @Test(.timeLimit(.minutes(60)))
  func `who was stopped in the queue is passed where the lock is free`() async throws {
    let stopped = try FileLock(path: fixture.folder.file("queue.lock"), recordsHolder: false)
    try stopped.lock(.exclusive)
    let writers = [
      try fixture.writer(configurationOfHours()), try fixture.writer(configurationOfHours()),
    ]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, writer) in writers.enumerated() {
        group.addTask {
          for number in 0..<20 {
            try await writer.write { try $0.insert(index * 1000 + number) }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try fixture.stored() == Array(0..<20) + Array(1000..<1020))
    // And it goes on as ever once the queue moves.
    try stopped.unlock()
    for (index, writer) in writers.enumerated() {
      for number in 20..<40 { try await writer.write { try $0.insert(index * 1000 + number) } }
    }
    #expect(try fixture.stored() == Array(0..<40) + Array(1000..<1040))
    for writer in writers { await writer.close() }
  }

  @Test(.timeLimit(.minutes(60)))
  func `whoever holds the lock is not passed, however long the queue stands still`() async throws {
    let stopped = try FileLock(path: fixture.folder.file("queue.lock"), recordsHolder: false)
    let holder = try fixture.lock()
    try stopped.lock(.exclusive)
    try holder.lock(.exclusive)
    let writer = try fixture.writer(configuration(patience: .milliseconds(400)))
    await #expect(throws: WriterError.self) { try await writer.write { try $0.insert(1) } }
    try holder.unlock()
    try await writer.write { try $0.insert(2) }
    #expect(try fixture.stored() == [2])
    try stopped.unlock()
    await writer.close()
  }

  @Test(.timeLimit(.minutes(60)))
  func `an impatient request is given up at once where another process has the lock`()
    async throws
  {
    let other = try fixture.lock()
    try other.lock(.exclusive)
    let writer = try fixture.writer(configurationOfHours())
    await #expect(throws: WriterError.lockTimeout(holder: nil)) {
      try await writer.writeImpatiently { try $0.insert(1) }
    }
    // Also while others wait for it, who are not given up.
    let patient = Task { try await writer.write { try $0.insert(2) } }
    await writer.waitForQueue(1)
    await #expect(throws: WriterError.lockTimeout(holder: nil)) {
      try await writer.writeImpatiently { try $0.insert(3) }
    }
    try other.unlock()
    try await patient.value
    try await writer.writeImpatiently { try $0.insert(4) }
    #expect(try fixture.stored() == [2, 4])
    await writer.close()
  }

  private func configurationOfHours() throws -> Writer.Configuration {
    try configuration(patience: .seconds(36_000))
  }

  @Test func `another process takes turns with us`() async throws {
    let writer = try fixture.writer(configuration())
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c",
      """
      import fcntl, sqlite3, sys
      lock = open(sys.argv[2], 'r+')
      db = sqlite3.connect(sys.argv[1], isolation_level=None)
      db.execute('PRAGMA wal_autocheckpoint = 0')
      for number in range(100):
          fcntl.flock(lock, fcntl.LOCK_EX)
          db.execute('BEGIN IMMEDIATE')
          db.execute('INSERT INTO t (a) VALUES (?)', (1000 + number,))
          db.execute('COMMIT')
          fcntl.flock(lock, fcntl.LOCK_UN)
      """, fixture.path, fixture.folder.file("store.lock"),
    ]
    try process.run()
    var number = 0
    while process.isRunning {
      try await writer.write { [number] in try $0.insert(-1 - number) }
      number += 1
    }
    #expect(process.terminationStatus == 0)
    #expect(try fixture.stored().count == 100 + number)
  }

  @Test(arguments: [true, false])
  func `a store that was replaced is never written again`(isThereAnother: Bool) async throws {
    let writer = try fixture.writer(configuration())
    try await writer.write { try $0.insert(1) }
    let path = fixture.folder.file("store.lock")
    try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
    if isThereAnother { _ = try fixture.lock() }
    let gate = Gate()
    await #expect(throws: WriterError.storeReplaced) {
      try await writer.write { try $0.insert(2) }
    }
    // Also when the old lock file comes back: who knows what happened meanwhile.
    if isThereAnother { try FileManager.default.removeItem(atPath: path) }
    try FileManager.default.moveItem(atPath: path + ".old", toPath: path)
    gate.open()
    await #expect(throws: WriterError.storeReplaced) {
      try await writer.write { try $0.insert(3) }
    }
    await writer.close()
    #expect(try fixture.stored() == [1])
  }
}
