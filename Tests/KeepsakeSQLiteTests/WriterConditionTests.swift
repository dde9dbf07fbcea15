import KeepsakeFiles
import KeepsakeSQLite
import Testing

/// What requests have done before their commit, as a folder is synced before the rows that name its files.
struct WriterConditionTests {
  let fixture: WriterFixture
  /// What was done, in order.
  private let done = Locked<[String]>([])

  init() throws {
    fixture = try WriterFixture()
  }

  /// Asks for something that notes that it was done, and fails if told to.
  private func ask(_ name: String, of transaction: Transaction, fails: Bool = false) {
    let done = done
    transaction.beforeCommit(name) {
      done.withLock { $0.append(name) }
      if fails { throw Refusal() }
    }
  }

  @Test func `what is asked for is done when all of a request has run, and before its commit`()
    async throws
  {
    let (fixture, done) = (fixture, done)
    let writer = try fixture.writer()
    try await writer.write { transaction in
      transaction.beforeCommit("sync") {
        let stored = try fixture.stored()
        done.withLock { $0.append("\(stored)") }
      }
      try transaction.insert(1)
      transaction.afterCommit { done.withLock { $0.append("after") } }
    }
    #expect(done.withLock { $0 } == ["[]", "after"])
    #expect(try fixture.stored() == [1])
  }

  @Test func `what many ask for by one name is done once for all of them`() async throws {
    let writer = try fixture.writer()
    let outcomes = try await writer.together(9) { number, transaction in
      try transaction.insert(number)
      for name in ["all", "\(number % 3)", "all"] { ask(name, of: transaction) }
    }
    for outcome in outcomes { try outcome.get() }
    #expect(done.withLock { $0 } == ["all", "0", "1", "2"])
    #expect(writer.statistics.commits == 2)
    #expect(try fixture.stored() == Array(0..<9))
  }

  @Test(arguments: 0..<4)
  func `where it can't be done those who asked fail, once, and the others are written`(bad: Int)
    async throws
  {
    let writer = try fixture.writer()
    let outcomes = try await writer.together(8) { number, transaction in
      try transaction.insert(number)
      ask("\(number % 4)", of: transaction, fails: number % 4 == bad)
    }
    for (number, outcome) in outcomes.enumerated() {
      if number % 4 == bad {
        #expect(throws: Refusal()) { try outcome.get() }
      } else {
        try outcome.get()
      }
    }
    #expect(done.withLock { $0.count { $0 == "\(bad)" } } == 1)
    #expect(writer.statistics.reruns == 6)
    #expect(writer.statistics.requests == 9)
    #expect(try fixture.stored() == (0..<8).filter { $0 % 4 != bad })
  }

  @Test func `a request that is alone gets the error itself, and leaves nothing`() async throws {
    let writer = try fixture.writer()
    await #expect(throws: Refusal()) {
      try await writer.write { transaction in
        try transaction.insert(1)
        ask("sync", of: transaction, fails: true)
      }
    }
    try await writer.write { try $0.insert(2) }
    #expect(try fixture.stored() == [2])
  }

  @Test func `what only a request asked for that failed is not done`() async throws {
    let writer = try fixture.writer()
    let outcomes = try await writer.together(3) { number, transaction in
      try transaction.insert(number)
      ask("all", of: transaction)
      ask("\(number)", of: transaction)
      if number != 1 { throw Refusal() }
    }
    #expect(outcomes.map { (try? $0.get()) != nil } == [false, true, false])
    #expect(done.withLock { $0 } == ["all", "1"])
    #expect(writer.statistics.reruns == 0)
    #expect(try fixture.stored() == [1])
  }

  @Test func `idle work has done what it asks for, too`() async throws {
    let done = done
    var configuration = Writer.Configuration()
    configuration.idle = .init(after: .milliseconds(1)) { transaction in
      transaction.beforeCommit("idle") { done.withLock { $0.append("idle") } }
      return false
    }
    let writer = try fixture.writer(configuration)
    while done.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(1)) }
    await writer.close()
    #expect(done.withLock { $0 } == ["idle"])
  }
}
