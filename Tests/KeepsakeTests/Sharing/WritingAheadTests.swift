import Foundation
import KeepsakeFiles
import Testing

@testable import Keepsake

@Suite struct `Changes that a store writes while the hub decides` {
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
      #expect(scene.log.withLock { $0.works } == 20)
      // While the writer's thread does something else, a change is written later.
      #expect(scene.log.withLock { $0.ahead } > 0)
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
      #expect(scene.log.withLock { $0.works } == 5)
      #expect(scene.log.withLock { $0.ahead } == 0)
      #expect(try await scene.session.count() == 5)
      try await scene.sharers.requireSame()
    }
  }

  @Test func `are written later where another process writes to the folder, or the hub was slow`()
    async throws
  {
    try await Scene.make { scene in
      try await scene.append(1)
      #expect(scene.log.withLock { $0.works } == 1)
      let database = scene.store.handle.layout.path + "/store.sqlite"
      let other = try OtherProgram(
        "/usr/bin/env",
        [
          "sqlite3", database,
          "UPDATE hub_session SET removed = 1; UPDATE hub_session SET removed = 0",
        ])
      #expect(other.succeeds())
      try await scene.append(1)
      #expect(scene.log.withLock { $0.works } == 1)
      try await scene.append(1)
      #expect(scene.log.withLock { $0.works } == 2)
      try await scene.append(1, answeredIn: WritingAhead.patience)
      #expect(scene.log.withLock { $0.works } == 2)
      try await scene.sharers.requireSame()
    }
  }

  @Test func `are not those that name artifacts, take something away or fail`() async throws {
    try await Scene.make { scene in
      let session = scene.session
      func isAlone(_ change: () async throws -> Void) async throws -> Bool {
        scene.expectQuickAnswers()
        let before = scene.log.withLock { $0.works }
        try await change()
        return scene.log.withLock { $0.works } == before
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
  /// The record of the work that a hub did for a store, and the answers that the hub shows.
  struct Log {
    var sight = AnswerSight.all
    /// The number of times that work was done while the hub decided.
    var works = 0
    /// The number of times after which the folder had more entries.
    var ahead = 0
    /// Returns the number of entries in the folder.
    var count: (@Sendable () throws -> Int)?
  }

  let sharers: Sharers
  let session: Session
  let log: Locked<Log>
  var store: Store { sharers.first }

  static func make(_ body: (Scene) async throws -> Void) async throws {
    let log = Locked(Log())
    let reaching = Sharers.reaching(0) { WorkingHub(hub: $0, log: log) }
    try await Sharers.make(reaching: reaching) { sharers in
      let session = try await sharers.first.createSession()
      let handle = sharers.first.handle
      log.withLock { log in
        log.count = { try handle.read { try SessionRow(session, in: $0).entries } }
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
}

/// A hub that has stores work while it decides.
private struct WorkingHub: ForwardingHub {
  let hub: any Hub
  let log: Locked<Scene.Log>

  func commit(
    _ offers: [HubOffer], meanwhile work: HubMeanwhile?
  ) async throws -> [HubAnswer] {
    let answers = try await hub.commit(offers)
    guard let work else { return answers }
    let (sight, count) = log.withLock { ($0.sight, $0.count) }
    let before = try count?()
    work { _ in sight.answers(answers) }
    let after = try count?()
    log.withLock { log in
      log.works += 1
      log.ahead += before == after ? 0 : 1
    }
    return answers
  }
}
