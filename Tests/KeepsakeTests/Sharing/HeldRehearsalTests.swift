import Foundation
import KeepsakeFiles
import KeepsakeHubConformance
import KeepsakeSQLite
import Testing

@testable import Keepsake

@Suite struct `Changes whose transaction is held while the hub decides` {
  @Test func `are in the folder as soon as the hub has said yes, and are told once`() async throws {
    try await Scene.make { scene in
      let session = scene.session
      let events = session.events
      let told = Task {
        var positions: [Int] = []
        for await event in events {
          guard case .appended(_, let new) = event else { continue }
          positions += new
          if positions.last == 19 { break }
        }
        return positions
      }
      try await scene.append(20)
      // While the writer's thread does something else, a change is tried and written later.
      #expect(scene.log.withLock { $0.offers > 0 && $0.ahead == $0.offers })
      #expect(try await session.count() == 20)
      #expect(await told.value == Array(0..<20))
      try await scene.sharers.requireSame()
    }
  }

  /// - Parameter sight: What the store sees of the hub's answers before the call returns.
  @Test(arguments: AnswerSight.allCases.filter { $0 != .all })
  func `are written later where the hub's answer did not come in time, or was another one`(
    sight: AnswerSight
  ) async throws {
    try await Scene.make { scene in
      scene.log.withLock { $0.sight = sight }
      try await scene.append(5)
      #expect(scene.log.withLock { $0.offers > 0 && $0.ahead == 0 })
      #expect(try await scene.session.count() == 5)
      try await scene.sharers.requireSame()
    }
  }

  @Test func `are tried once and offered as all others where a hub can't send them at once`()
    async throws
  {
    try await Scene.make { scene in
      scene.log.withLock { $0.takesOffers = false }
      let runs = Locked(0)
      let session = scene.session
      for _ in 0..<5 {
        scene.expectQuickAnswers()
        let handle = scene.store.handle
        try await handle.write(in: session.id) { change in
          runs.withLock { $0 += 1 }
          _ = try session.insert([PreparedAppend(.prompt("a banana"))], in: change)
        }
      }
      #expect(runs.withLock { $0 } == 5)
      #expect(scene.log.withLock { $0.works > 0 && $0.offers == 0 })
      #expect(try await session.count() == 5)
      try await scene.sharers.requireSame()
    }
  }

  @Test func `are not held where another process writes to the folder, or the hub was slow`()
    async throws
  {
    try await Scene.make { scene in
      func offers(after change: () async throws -> Void) async throws -> Int {
        let before = scene.log.withLock { $0.offers }
        try await change()
        return scene.log.withLock { $0.offers } - before
      }
      try await scene.appendUntilHeld()
      let database = scene.store.handle.layout.path + "/store.sqlite"
      let other = try OtherProgram(
        "/usr/bin/env",
        [
          "sqlite3", database,
          "UPDATE hub_session SET removed = 1; UPDATE hub_session SET removed = 0",
        ])
      #expect(other.succeeds())
      #expect(try await offers { try await scene.append(1) } == 0)
      try await scene.appendUntilHeld()
      let slow = try await offers {
        try await scene.append(1, answeredIn: HeldRehearsal.patience)
      }
      #expect(slow == 0)
      try await scene.sharers.requireSame()
    }
  }

  @Test func `are not those that name artifacts, take something away or fail`() async throws {
    try await Scene.make { scene in
      let session = scene.session
      func isAlone(_ change: () async throws -> Void) async throws -> Bool {
        scene.expectQuickAnswers()
        let before = scene.log.withLock { $0.offers }
        try await change()
        return scene.log.withLock { $0.offers } == before
      }
      #expect(
        try await isAlone {
          try await session.append(.prompt("a"), attaching: [.init(.bytes([1, 2, 3]))])
        })
      #expect(try await isAlone { try await session.erase(0) })
      #expect(
        try await isAlone {
          await #expect(throws: KeepsakeError.self) {
            try await session.revise(9, to: .prompt("b"))
          }
        })
      #expect(try await session.count() == 1)
      try await scene.sharers.requireSame()
    }
  }

  /// A change that is tried leaves the rows that concern its store alone for later. They are written once, whether the transaction of the
  /// try was committed or rolled back.
  /// - Parameter sight: What the store sees of the hub's answers before the call returns.
  @Test(arguments: AnswerSight.allCases)
  func `do once what concerns this store alone`(sight: AnswerSight) async throws {
    try await Scene.make { scene in
      let (session, handle) = (scene.session, scene.store.handle)
      try await scene.appendUntilHeld()
      scene.log.withLock { $0.sight = sight }
      let events = session.events
      let done = Locked(0)
      func running() throws -> [Int64] {
        try handle.read { try $0.running.marks(.turn, of: session.number).map(\.number) }
      }
      let offers = scene.log.withLock { $0.offers }
      var rounds = 0
      while scene.log.withLock({ $0.offers }) < offers + 3 {
        rounds += 1
        scene.expectQuickAnswers()
        let turn = try await session.openTurn()
        #expect(try running() == [Int64(turn.number)])
        scene.expectQuickAnswers()
        try await handle.write(in: session.id) { change in
          _ = try session.insert([PreparedAppend(.prompt("a banana"))], in: change)
          try change.locally { change in
            try change.locally { change in change.afterCommit { done.withLock { $0 += 1 } } }
          }
        }
        #expect(done.withLock { $0 } == rounds)
        scene.expectQuickAnswers()
        try await session.close(turn, .answered)
        #expect(try running() == [])
      }
      var told: [String] = []
      for await event in events {
        switch event {
        case .turn(_, let turn): told.append(turn.closed == nil ? "opened" : "closed")
        case .appended: told.append("appended")
        default: break
        }
        if told.count == 3 * rounds { break }
      }
      #expect(told == (0..<rounds).flatMap { _ in ["opened", "appended", "closed"] })
      try await scene.sharers.requireSame()
    }
  }

  /// Requests that wait are held together, also if the body of one of them fails.
  @Test func `are those of several tasks in one transaction`() async throws {
    try await Scene.make { scene in
      let store = scene.store
      var sessions: [Session] = []
      for _ in 0..<8 { sessions.append(try await store.createSession()) }
      try await scene.appendUntilHeld()
      let before = scene.log.withLock { $0 }
      try await withThrowingTaskGroup { group in
        for (number, session) in sessions.enumerated() {
          group.addTask {
            for turn in 0..<20 {
              scene.expectQuickAnswers()
              if number == 0, turn % 5 == 4 {
                await #expect(throws: KeepsakeError.self) {
                  try await session.revise(99, to: .prompt("not there"))
                }
              }
              try await session.append(.prompt("\(number) \(turn)"))
            }
          }
        }
        try await group.waitForAll()
      }
      for session in sessions { #expect(try await session.count() == 20) }
      let log = scene.log.withLock { $0 }
      #expect(log.largest > 1 && log.ahead > before.ahead)
      try await scene.sharers.requireSame()
    }
  }

  /// A full disk at the commit, after the hub's yes, loses nothing of what the callers were told.
  @Test func `are taken over again if the folder's commit fails after the yes`() async throws {
    try await Scene.make { scene in
      try await scene.appendUntilHeld()
      let count = try await scene.session.count()
      scene.expectQuickAnswers()
      let handle = scene.store.handle
      let session = scene.session
      let isFirst = Locked(true)
      struct Full: Error {}
      try await handle.write(in: session.id) { change in
        _ = try session.insert([PreparedAppend(.prompt("a banana"))], in: change)
        change.beforeCommit("fail once") {
          if isFirst.withLock({ first in
            defer { first = false }
            return first
          }) {
            throw Full()
          }
        }
      }
      #expect(!isFirst.withLock { $0 })
      #expect(try await session.count() == count + 1)
      try await scene.sharers.requireSame()
    }
  }
}

/// The answers that a test shows to a store before the hub's call returns.
enum AnswerSight: CaseIterable {
  case all, nothing, no, failure

  func answers(_ answers: [HubAnswer]) -> [HubAnswer]? {
    switch self {
    case .all: answers
    case .nothing: nil
    case .no: answers.map { _ in .no(nil) }
    case .failure: answers.map { _ in .failed(InterruptedHub.cut) }
    }
  }
}

/// A store that shares a session, and what its hub did.
private struct Scene {
  /// The record of what a store did while its hub decided, and the answers that the hub shows.
  struct Log {
    var sight = AnswerSight.all
    var takesOffers = true
    /// The number of times that the hub ran work of the store.
    var works = 0
    /// The number of times that such work made offers.
    var offers = 0
    /// The most offers at a time.
    var largest = 0
    /// The number of times after which the folder had more entries.
    var ahead = 0
    /// Returns the number of entries in the folder.
    var count: (@Sendable () throws -> Int64)?
  }

  let sharers: Sharers
  let session: Session
  let log: Locked<Log>
  var store: Store { sharers.first }

  static func make(_ body: (Scene) async throws -> Void) async throws {
    let log = Locked(Log())
    let reaching = Sharers.reaching(0) { hub in
      ExchangingHub(hub).map { WatchedHub($0, log: log) } ?? hub
    }
    try await Sharers.make(reaching: reaching) { sharers in
      let session = try await sharers.first.createSession()
      let handle = sharers.first.handle
      log.withLock { log in
        log.count = {
          try handle.read { try $0.connection.integer("SELECT count(*) FROM entry") ?? 0 }
        }
      }
      try await body(Scene(sharers: sharers, session: session, log: log))
    }
  }

  /// Has the store expect quick answers, whatever the folder's disk took for the last one.
  func expectQuickAnswers(_ time: Duration = .zero) {
    store.handle.store.sharing?.foresight.withLock { $0.answerTime = time }
  }

  func append(_ count: Int, answeredIn time: Duration = .zero) async throws {
    for _ in 0..<count {
      expectQuickAnswers(time)
      try await session.append(.prompt("a banana"))
    }
  }

  /// Appends entries until the transaction of one was held. It is not while the writer's thread does something else.
  func appendUntilHeld() async throws {
    let before = log.withLock { $0.offers }
    while log.withLock({ $0.offers }) == before { try await append(1) }
  }
}

/// A hub that has stores hold their transactions, and notes what becomes of these.
private struct WatchedHub: ForwardingHub {
  private let exchanging: ExchangingHub
  let log: Locked<Scene.Log>
  var hub: any Hub { exchanging.folder }

  init(_ hub: ExchangingHub, log: Locked<Scene.Log>) {
    var hub = hub
    hub.sight = { answers in log.withLock { $0.sight }.answers(answers) }
    hub.takesOffers = { log.withLock { $0.takesOffers } }
    exchanging = hub
    self.log = log
  }

  func exchange(bytes: Int, _ work: @escaping HubExchange) async throws -> [HubAnswer]? {
    let count = log.withLock { $0.count }
    return try await exchanging.exchange(bytes: bytes) { offer in
      let before = try? count?()
      let made = Locked(0)
      work { offers in
        let answers = offer(offers)
        if answers != nil { made.withLock { $0 = offers.count } }
        return answers
      }
      let (after, offers) = (try? count?(), made.withLock { $0 })
      log.withLock { log in
        log.works += 1
        log.offers += offers > 0 ? 1 : 0
        log.largest = max(log.largest, offers)
        log.ahead += before == after ? 0 : 1
      }
    }
  }
}
