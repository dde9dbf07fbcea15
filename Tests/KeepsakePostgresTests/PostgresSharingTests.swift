import Foundation
import KeepsakeFiles
import KeepsakeHubConformance
import KeepsakeTestSupport
import Testing

@testable import Keepsake
@testable import KeepsakePostgres

/// Stores on several machines that share the sessions of a database, whose server is killed or replaced meanwhile.
@Suite(.serialized, .enabled(if: PostgresServer.isHere, PostgresServer.obstacle))
struct `Stores that share the sessions of a database` {
  @Test func `go on with each other's conversations`() async throws {
    let server = try #require(PostgresServer.shared)
    try await SharedConversation.run(at: .postgres(server.address(try await server.database())))
  }

  @Test(arguments: LongRun.seeds(otherwise: 1...2))
  func `come to have the same, and lose nothing, when tasks write at once`(seed: UInt64)
    async throws
  {
    let server = try #require(PostgresServer.shared)
    try await SharedCrowd.run(
      at: .postgres(server.address(try await server.database())), steps: SharedCrowd.steps,
      seed: seed)
  }

  @Test func `list all tags, and take over no more than one session for each`() async throws {
    let server = try #require(PostgresServer.shared)
    try await SharedTags.run(at: .postgres(server.address(try await server.database()))) {
      store, most in
      let sessions = try store.handle.read { try $0.hubSessions.versions().count }
      #expect(sessions <= most)
    }
  }

  @Test func `are opened as the README shows`() async throws {
    let server = try #require(PostgresServer.shared)
    let database = server.address(try await server.database())
    let workers = try await Workers(1, database)
    let id = try await workers.stores[0].createSession().id
    let cache = FileManager.default.temporaryDirectory
      .appending(path: "\(UUID().uuidString.lowercased()).keepsake")
    // snippet: sharing
    let store = try await Store(at: cache, joining: .postgres(database), as: .shared)
    let session = try await store.session(id)
    try await session.append(.prompt("and a green one?"))
    // end snippet
    #expect(try await workers.stores[0].session(id).count() == 1)
    try await store.removeTemporary()
    try await workers.end()
  }

  /// Returns the sessions of the next events which say that a session changed elsewhere.
  private func changed(_ count: Int, of events: inout StoreEvents.Iterator) async -> Set<UUID> {
    var sessions: Set<UUID> = []
    while sessions.count < count, let event = await events.next() {
      if case .changedElsewhere(let session) = event { sessions.insert(session) }
    }
    return sessions
  }

  @Test(.timeLimit(.minutes(60)))
  func `tell observers what others did, and take over no more than is observed`() async throws {
    let server = try #require(PostgresServer.shared)
    let workers = try await Workers(2, server.address(try await server.database()))
    let (writer, reader) = (workers.stores[0], workers.stores[1])
    var written: [Keepsake.Session] = []
    for number in 0..<5 { written.append(try await writer.createSession(title: "\(number)")) }
    let observed = try await reader.session(written[0].id)
    var all = reader.events.makeAsyncIterator()
    var own = observed.events.makeAsyncIterator()
    // The reader has not read four of the sessions. These may have come after its observer read the list, so the observer is told.
    #expect(await changed(4, of: &all) == Set(written[1...].map(\.id)))
    try await written[0].append(.response("a"))
    guard case .appended(_, 0..<1) = await own.next() else {
      Issue.record("The append was not told")
      return
    }
    try await written[3].append(.response("b"))
    #expect(await changed(1, of: &all) == [written[3].id])
    try await writer.deleteSession(written[4].id)
    #expect(await changed(1, of: &all) == [written[4].id])
    let new = try await writer.createSession(title: "new")
    #expect(await changed(1, of: &all) == [new.id])
    #expect(try reader.handle.read { try $0.sessions.newest() } == observed.number)
    try await workers.end()
  }

  @Test func `have each acknowledged entry once when the server is killed`() async throws {
    let server = try await onOwnThread { try PostgresServer() }
    try await write(to: server, rounds: 2) {
      try server.crash()
      try server.start()
    }
  }

  @Test(.enabled(if: PostgresServer.hasPooler, PostgresServer.poolerObstacle))
  func `have each acknowledged entry once when a pooler is killed`() async throws {
    let server = try await onOwnThread { try PostgresServer(PostgresServer.pooled) }
    try await write(to: server, rounds: 2) {
      try server.crash()
      try server.start()
    }
  }

  @Test func `have each acknowledged entry once when a standby takes over`() async throws {
    let pair = try await onOwnThread { try PostgresServer("postgres-pair") }
    let failovers = LongRun.number("KEEPSAKE_FAILOVERS") ?? 1
    try await write(to: pair, rounds: failovers) {
      try pair.promote()
      if failovers > 1 { try pair.rejoin() }
    }
  }

  /// Has tasks of three stores append to one session, and to sessions of their own, while something happens to the server.
  private func write(
    to server: PostgresServer, rounds: Int, _ happening: @escaping @Sendable () throws -> Void
  ) async throws {
    let address = server.address(try await server.database())
    let workers = try await Workers(3, address, lastGivesUp: true)
    let common = try await workers.stores[0].createSession(title: "common").id
    let told = Told()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, store) in workers.stores.enumerated() {
        for task in 0..<3 {
          group.addTask {
            let session =
              try await task == 0
              ? store.session(common) : store.createSession(title: "\(index) \(task)")
            await told.append(to: session, as: "\(index) \(task)")
          }
        }
      }
      group.addTask {
        defer { told.end() }
        for round in 1...rounds {
          try await told.wait(for: 60)
          try await onOwnThread(happening)
          print("\(round) of \(rounds): \(told.count) appends")
        }
        try await told.wait(for: 60)
      }
      try await group.waitForAll()
    }
    // A machine that has nothing yet reads what the hub has.
    let reader = try await Workers(1, address)
    for id in told.sessions {
      let texts = try await reader.stores[0].session(id).entries.all().map(\.text)
      told.check(texts, of: id)
      for store in workers.stores {
        #expect(try await store.session(id).entries.all().map(\.text) == texts)
      }
    }
    for store in reader.stores + workers.stores {
      #expect(try await store.verify(.init(readData: true)).isSound)
    }
    print("\(rounds) times: \(told.count) appends, \(told.unknown) unknown, \(told.codes)")
    try await reader.end()
    try await workers.end()
  }
}

/// What tasks that append were told.
private final class Told: Sendable {
  private struct Session {
    var acknowledged: Set<String> = []
    var unknown: Set<String> = []
  }

  private struct State {
    var sessions: [UUID: Session] = [:]
    var count = 0
    var codes: [String: Int] = [:]
    var isOver = false
  }

  private let state = Locked(State())

  var count: Int { state.withLock { $0.count } }
  var sessions: [UUID] { state.withLock { Array($0.sessions.keys) } }
  var unknown: Int { state.withLock { $0.sessions.values.reduce(0) { $0 + $1.unknown.count } } }
  /// The number of appends that failed, by the code of the error.
  var codes: [String: Int] { state.withLock { $0.codes } }

  func end() { state.withLock { $0.isOver = true } }

  /// Waits until so many more appends were acknowledged.
  func wait(for appends: Int) async throws {
    let (before, deadline) = (count, Instant.now.advanced(by: .seconds(120)))
    while count < before + appends {
      try #require(.now < deadline, "\(count - before) appends were acknowledged in two minutes")
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  /// Appends numbers after a name, until it is over.
  func append(to session: Keepsake.Session, as name: String) async {
    for number in 0... {
      if state.withLock({ $0.isOver }) { return }
      let text = "\(name) \(number)"
      do {
        try await session.append(.prompt(text))
        state.withLock { state in
          state.sessions[session.id, default: Session()].acknowledged.insert(text)
          state.count += 1
        }
      } catch {
        let code = (error as? KeepsakeError).map { "\($0.code)" } ?? "\(error)"
        state.withLock { state in
          state.sessions[session.id, default: Session()].unknown.insert(text)
          state.codes[code, default: 0] += 1
        }
      }
    }
  }

  /// Holds a session's texts against what was told: what was acknowledged is there once, what was not at most once, and
  /// each task's texts stand in the order in which it appended them.
  func check(_ texts: [String], of id: UUID) {
    let told = state.withLock { $0.sessions[id] ?? Session() }
    #expect(Set(texts).count == texts.count)
    #expect(told.acknowledged.subtracting(texts) == [])
    #expect(Set(texts).subtracting(told.acknowledged).subtracting(told.unknown) == [])
    var last: [Substring: Int] = [:]
    for text in texts {
      let words = text.split(separator: " ")
      let (name, number) = (text.dropLast(words[2].count), Int(words[2]) ?? -1)
      #expect(number > last[name] ?? -1, "\(text)")
      last[name] = number
    }
  }
}
