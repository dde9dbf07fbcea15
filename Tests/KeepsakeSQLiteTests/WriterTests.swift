import KeepsakeFiles
import KeepsakeSQLite
import Testing

struct WriterTests {
  let fixture: WriterFixture

  init() throws {
    fixture = try WriterFixture()
  }

  @Test func `what is written is there, and its result comes back`() async throws {
    let writer = try fixture.writer()
    let row = try await writer.write { transaction in
      try transaction.insert(7)
      return transaction.db.lastInsertedRow
    }
    #expect(row == 1)
    #expect(try fixture.stored() == [7])
    let seven = try await writer.writeUncancelled { try $0.db.integer("SELECT a FROM t") }
    #expect(seven == 7)
    await writer.close()
  }

  @Test func `what opening throws is thrown`() throws {
    let missing = fixture.folder.file("missing.sqlite")
    let error = try #require(throws: SQLiteError.self) {
      _ = try Writer { try Connection(path: missing, access: .readWrite) }
    }
    #expect(error.isCantOpen)
  }

  @Test func `requests that wait while one runs share one commit`() async throws {
    let writer = try fixture.writer()
    try await writer.write { try $0.insert(100) }
    let before = try await writer.exclusively { $0.walPages }
    let outcomes = try await writer.together(10) { try $1.insert($0) }
    for outcome in outcomes { try outcome.get() }
    #expect(writer.statistics.commits == 1 + 2)
    #expect(writer.statistics.largestBatch == 10)
    // Seen from outside: one commit writes a changed page once, and ten would write it ten times.
    let after = try await writer.exclusively { $0.walPages }
    #expect(after - before <= 3)
    #expect(try fixture.stored() == Array(0..<10) + [100])
  }

  @Test func `a batch has at most so many requests`() async throws {
    var configuration = Writer.Configuration()
    configuration.batchRequests = 4
    let writer = try fixture.writer(configuration)
    for outcome in try await writer.together(10, { try $1.insert($0) }) { try outcome.get() }
    #expect(writer.statistics.commits == 1 + 3)
    #expect(writer.statistics.largestBatch == 4)
  }

  @Test func `a batch has at most so many bytes, or one request`() async throws {
    var configuration = Writer.Configuration()
    configuration.batchBytes = 250
    let writer = try fixture.writer(configuration)
    for outcome in try await writer.together(6, { try $1.insert($0) }) { try outcome.get() }
    #expect(writer.statistics.largestBatch == 2)
    try await writer.write(bytes: 10_000) { try $0.insert(99) }
    #expect(try fixture.stored() == [0, 1, 2, 3, 4, 5, 99])
  }

  @Test(arguments: 0..<10)
  func `one of ten that fails, fails alone`(bad: Int) async throws {
    let writer = try fixture.writer()
    let outcomes = try await writer.together(10) { number, transaction in
      try transaction.insert(number)
      if number == bad { throw Refusal(number: number) }
    }
    for (number, outcome) in outcomes.enumerated() where number != bad { try outcome.get() }
    #expect(throws: Refusal(number: bad)) { try outcomes[bad].get() }
    #expect(writer.statistics.commits == 2)
    #expect(writer.statistics.reruns == 0)
    #expect(try fixture.stored() == (0..<10).filter { $0 != bad })
  }

  @Test func `a constraint fails only the request that breaks it`() async throws {
    let writer = try fixture.writer()
    let outcomes = try await writer.together(4) { try $1.insert($0 / 2) }
    try outcomes[0].get()
    try outcomes[2].get()
    for index in [1, 3] {
      let error = #expect(throws: SQLiteError.self) { try outcomes[index].get() }
      #expect(error?.isConstraint == true)
    }
    #expect(try fixture.stored() == [0, 1])
  }

  /// `INSERT OR ROLLBACK` ends the whole transaction, as a full disk or an I/O error does.
  @Test(arguments: [false, true])
  func `when the transaction is lost each request runs again alone`(
    isKeptSecret: Bool
  ) async throws {
    let writer = try fixture.writer()
    try await writer.write { try $0.insert(100) }
    let runs = Locked([Int](repeating: 0, count: 6))
    let outcomes = try await writer.together(6) { number, transaction in
      runs.withLock { $0[number] += 1 }
      if number == 3 {
        do {
          try transaction.db.execute("INSERT OR ROLLBACK INTO t (a) VALUES (100)")
        } catch {
          if !isKeptSecret { throw error }
        }
      } else {
        try transaction.insert(number)
      }
    }
    for (number, outcome) in outcomes.enumerated() where number != 3 { try outcome.get() }
    if isKeptSecret {
      #expect(throws: WriterError.transactionLost) { try outcomes[3].get() }
    } else {
      let error = #expect(throws: SQLiteError.self) { try outcomes[3].get() }
      #expect(error?.isConstraint == true)
    }
    #expect(runs.withLock { $0 } == [2, 2, 2, 2, 1, 1])
    #expect(writer.statistics.reruns == 6)
    #expect(try fixture.stored() == [0, 1, 2, 4, 5, 100])
  }

  @Test func `a commit that fails is tried again for each request alone`() async throws {
    let writer = try fixture.writer()
    try await writer.write {
      try $0.db.execute("CREATE TABLE child (a INTEGER REFERENCES t (a)) STRICT")
    }
    let outcomes = try await writer.together(5) { number, transaction in
      guard number == 2 else { return try transaction.insert(number) }
      // The commit fails: the reference leads nowhere, and that is looked at only then.
      try transaction.db.execute(
        "PRAGMA defer_foreign_keys = ON; INSERT INTO child (a) VALUES (1000)")
    }
    for (number, outcome) in outcomes.enumerated() where number != 2 { try outcome.get() }
    let error = #expect(throws: SQLiteError.self) { try outcomes[2].get() }
    #expect(error?.isConstraint == true)
    #expect(writer.statistics.reruns == 5)
    #expect(try fixture.stored() == [0, 1, 3, 4])
    try await writer.write { try $0.insert(6) }
  }

  @Test func `actions run after the commit, in order, before anyone hears of it`() async throws {
    let writer = try fixture.writer()
    let done = Locked([Int]())
    let path = fixture.path
    let outcomes = try await writer.together(6) { number, transaction in
      try transaction.insert(number)
      transaction.afterCommit {
        do {
          // What is committed can be seen from outside.
          let other = try Connection(path: path, access: .readOnly)
          let count = try other.integer("SELECT count(*) FROM t")
          #expect(count == 5)
        } catch {
          Issue.record(error)
        }
        done.withLock { $0.append(number) }
      }
      if number == 2 { throw Refusal() }
    }
    // The first answer comes after the last action.
    try outcomes[0].get()
    #expect(done.withLock { $0 } == [0, 1, 3, 4, 5])
  }

  @Test func `actions of a lone request that fails are dropped`() async throws {
    let writer = try fixture.writer()
    await #expect(throws: Refusal.self) {
      try await writer.write { transaction in
        transaction.afterCommit { Issue.record("It was not committed") }
        throw Refusal()
      }
    }
  }

  @Test func `what the preparation throws goes to all in the batch, and to nobody later`()
    async throws
  {
    let isRefusing = Locked(false)
    let writer = try fixture.writer(
      .init(prepare: { _ in if isRefusing.withLock({ $0 }) { throw Refusal() } }))
    let gate = Gate()
    let holder = await writer.hold(at: gate)
    let tasks = (0..<3).map { number in Task { try await writer.write { try $0.insert(number) } } }
    await writer.waitForQueue(3)
    isRefusing.withLock { $0 = true }
    gate.open()
    try await holder.value
    for task in tasks { await #expect(throws: Refusal.self) { try await task.value } }
    isRefusing.withLock { $0 = false }
    try await writer.write { try $0.insert(9) }
    #expect(try fixture.stored() == [9])
  }

  @Test func `threads may block for their writes`() throws {
    let writer = try fixture.writer()
    let threads = (0..<4).map { thread in
      WorkerThread(name: "caller") {
        do {
          for number in 0..<50 {
            try writer.writeBlocking { try $0.insert(thread * 100 + number) }
          }
          try writer.exclusivelyBlocking { #expect(!$0.isInTransaction) }
        } catch {
          Issue.record(error)
        }
      }
    }
    for thread in threads { thread.join() }
    writer.closeBlocking()
    #expect(try fixture.stored().count == 200)
  }

  @Test func `exclusive work has its turn, alone and outside any transaction`() async throws {
    let writer = try fixture.writer()
    let gate = Gate()
    let holder = await writer.hold(at: gate)
    let first = Task { try await writer.write { try $0.insert(1) } }
    await writer.waitForQueue(1)
    let copy = fixture.folder.file("copy.sqlite")
    let exclusive = Task {
      try await writer.exclusively { db in
        #expect(!db.isInTransaction)
        try db.vacuum(into: copy)
        return try db.integer("SELECT count(*) FROM t")
      }
    }
    await writer.waitForQueue(2)
    let second = Task { try await writer.write { try $0.insert(2) } }
    await writer.waitForQueue(3)
    gate.open()
    try await holder.value
    try await first.value
    #expect(try await exclusive.value == 1)
    try await second.value
    #expect(writer.statistics.largestBatch == 1)
    await #expect(throws: Refusal.self) {
      try await writer.exclusively { db in
        try db.execute("BEGIN; INSERT INTO t (a) VALUES (3)")
        throw Refusal()
      }
    }
    #expect(try fixture.stored() == [1, 2])
  }

  /// Any mix of requests, in any order: those that succeed are stored, all others leave nothing.
  @Test(arguments: 0..<8)
  func `exactly what was acknowledged is stored`(round: Int) async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SplitMix(state: seed)
    let writer = try fixture.writer()
    try await writer.write { try $0.insert(-1) }
    let plan = (0..<200).map { _ in Int.random(in: 0..<20, using: &generator) }
    let acknowledged = try await withThrowingTaskGroup(of: Int?.self) { group in
      for (number, kind) in plan.enumerated() {
        group.addTask {
          do {
            return try await writer.write { transaction in
              try transaction.insert(number)
              switch kind {
              case 0: throw Refusal()
              case 1: try transaction.insert(-1)
              case 2: try transaction.db.execute("INSERT OR ROLLBACK INTO t (a) VALUES (-1)")
              default: break
              }
              return number
            }
          } catch {
            #expect(kind < 3, "seed \(seed): \(error)")
            return nil
          }
        }
      }
      return try await group.reduce(into: [Int]()) { if let number = $1 { $0.append(number) } }
    }
    #expect(try fixture.stored() == [-1] + acknowledged.sorted(), "seed \(seed)")
    #expect(acknowledged.count == plan.count { $0 > 2 }, "seed \(seed)")
  }
}

/// Numbers that a seed determines.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
