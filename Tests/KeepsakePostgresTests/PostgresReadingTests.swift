import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHubConformance
import Testing

@testable import KeepsakePostgres

@Suite(.enabled(if: PostgresServer.isHere, PostgresServer.obstacle))
struct `Rows that a server of PostgreSQL sends one by one` {
  /// Keeps the number in the first field of each row, and runs a closure after each row.
  private struct Collector: PostgresRowReader {
    private(set) var numbers: [Int64] = []
    let hook: (Int) throws -> Void

    init(_ hook: @escaping (Int) throws -> Void = { _ in }) { self.hook = hook }

    mutating func take(_ row: PostgresRow) {
      do {
        numbers.append(try row.number(0))
        try hook(numbers.count)
      } catch { Issue.record(error) }
    }

    mutating func work() -> Bool { false }
  }

  /// Runs a body with two connections to a new database.
  private func withConnections(
    isNamed: Bool = true,
    _ body: @escaping @Sendable (PostgresSession, PostgresSession) throws -> Void
  ) async throws {
    let server = try #require(PostgresServer.shared)
    let options = try PostgresAddress(server.address(try await server.database())).options
    try await onOwnThread {
      func connect() throws -> PostgresSession {
        PostgresSession(connection: try PostgresConnection(options), isNamed: isNamed)
      }
      try body(connect(), connect())
    }
  }

  private static let count = PostgresStatement("SELECT n FROM generate_series(1, $1::integer) n")
  private static let divide = PostgresStatement(
    "SELECT n, repeat('x', 20000), 1 / (5 - n) FROM generate_series(1, $1::integer) n")
  private static let wait = PostgresStatement(
    """
    SELECT n, repeat('x', 200000), CASE WHEN n > 2 THEN pg_advisory_xact_lock(1) END
    FROM generate_series(1, 3) n
    """)

  @Test(arguments: [true, false]) func `come all, in their order`(isNamed: Bool) async throws {
    try await withConnections(isNamed: isNamed) { session, _ in
      for count in [Int32(0), 1, 1000] {
        var collector = Collector()
        try session.run(
          PostgresRequest(Self.count, [.number(count)]), within: .seconds(60), into: &collector)
        try #require(collector.numbers == (0..<Int64(count)).map { $0 + 1 })
        // A connection that has handed out rows one by one can run an ordinary statement next.
        let rows = try session.run(Self.count, [.number(Int32(2))], within: .seconds(60))
        try #require(try rows.map { try $0.number(0) } == [1, 2])
      }
    }
  }

  @Test func `come before the server has the next ones`() async throws {
    try await withConnections { session, other in
      // The server keeps the end of a row until the next one. It does not get to the third row before the first one is here.
      try other.run("SELECT pg_advisory_lock(1)", within: .seconds(60))
      var collector = Collector { count in
        if count == 1 { try other.run("SELECT pg_advisory_unlock(1)", within: .seconds(60)) }
      }
      try session.run(
        PostgresRequest(Self.wait, []), within: .seconds(60), into: &collector)
      try #require(collector.numbers == [1, 2, 3])
    }
  }

  @Test func `end with the error of a later row, and leave the connection usable`() async throws {
    try await withConnections { session, _ in
      for _ in 0..<2 {
        var collector = Collector()
        let failure = try #require(throws: PostgresFailure.self) {
          try session.run(
            PostgresRequest(Self.divide, [.number(Int32(10))]), within: .seconds(60),
            into: &collector)
        }
        try #require(failure.state == "22012" && !session.connection.isBroken)
        try #require(collector.numbers == Array([1, 2, 3, 4].prefix(collector.numbers.count)))
        try #require(
          try session.run(Self.count, [.number(Int32(2))], within: .seconds(60)).count == 2)
      }
    }
  }
}

@Suite(.enabled(if: PostgresServer.isHere, PostgresServer.obstacle))
struct `Versions of a session in PostgreSQL` {
  private static let count = 100

  private func fill(_ hub: PostgresHub) async throws -> (session: UUID, [UUID]) {
    let session = UUID()
    var stamps: [UUID] = []
    for _ in 0..<Self.count {
      let offer = HubOffer(session, on: stamps.last)
      #expect(try await hub.commit(offer).version == Int64(stamps.count + 1))
      stamps.append(offer.stamp)
    }
    return (session, stamps)
  }

  @Test func `are read whatever order the server sends them in`() async throws {
    let server = try #require(PostgresServer.shared)
    let address = server.address(try await server.database())
    let hub = try await PostgresHub.open(at: address, making: true)
    let (session, stamps) = try await fill(hub)
    let known = try await hub.versions(of: session, after: 3, bytes: .max)
    #expect(known.versions.map(\.stamp) == Array(stamps[3...]) && known.before == stamps[2])
    let request = hub.request(reading: session, after: 3, bytes: .max)
    let reversed = PostgresStatement(request.statement.sql + " ORDER BY l.version DESC")
    let rows = try await onOwnThread { try hub.ask(reversed, request.values) }
    #expect(try rows.first?.number(6) == Int64(Self.count))
    let read = rows.map { hub.version(of: session, $0) }
    #expect(try hub.versions(of: session, after: 3, rows, read) == known)
    await hub.close()
  }

  @Test(arguments: [30_000, 60_000, 90_000])
  func `are read from the beginning again if the connection ends among them`(
    bytes: Int
  ) async throws {
    let server = try #require(PostgresServer.shared)
    let database = try await server.database()
    let known = try await PostgresHub.open(at: server.address(database), making: true)
    let (session, _) = try await fill(known)
    let versions = try await known.versions(of: session, after: 0, bytes: .max)
    try #require(versions.versions.reduce(0) { $0 + $1.bytes.count } > 100_000)
    let proxy = try CuttingProxy(to: server.port) { connection in
      connection == 0 ? .cutFromServer(bytes) : .none
    }
    defer { proxy.close() }
    let hub = try await PostgresHub.open(at: server.address(database, port: proxy.port))
    #expect(proxy.cuts.all == 0)
    #expect(try await hub.versions(of: session, after: 0, bytes: .max) == versions)
    #expect(proxy.cuts.all == 1)
    await hub.close()
    await known.close()
  }
}
