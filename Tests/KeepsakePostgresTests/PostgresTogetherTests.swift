import Foundation
import Keepsake
import KeepsakeFiles
import Testing

@testable import KeepsakePostgres

@Suite(.enabled(if: PostgresServer.isHere, PostgresServer.obstacle))
struct `Statements that are sent to PostgreSQL together` {
  private static let insert = PostgresStatement(
    "INSERT INTO t VALUES ($1::integer) RETURNING number", isWriting: true)
  private static let divide = PostgresStatement("SELECT 1 / $1::integer")
  private static let list = PostgresStatement("SELECT number FROM t ORDER BY number")
  private static let end = PostgresStatement("SELECT pg_terminate_backend(pg_backend_pid())")

  private static func insert(_ number: Int32) -> PostgresRequest {
    PostgresRequest(insert, [.number(number)])
  }

  /// Runs a body with a connection to a new database that has a table.
  private func withConnection(
    isNamed: Bool = true, _ body: @escaping @Sendable (PostgresSession) throws -> Void
  ) async throws {
    let server = try #require(PostgresServer.shared)
    let options = try PostgresAddress(server.address(try await server.database())).options
    try await onOwnThread {
      let session = PostgresSession(
        connection: try PostgresConnection(options), isNamed: isNamed)
      try session.run("CREATE TABLE t (number integer NOT NULL)", within: .seconds(60))
      try body(session)
    }
  }

  @Test(arguments: [true, false])
  func `are answered in their order, and undone together if one fails`(isNamed: Bool) async throws {
    try await withConnection(isNamed: isNamed) { session in
      for turn in Int32(0)..<3 {
        let (first, second) = (2 * turn, 2 * turn + 1)
        let answers = try session.run(
          together: [Self.insert(first), Self.insert(second)], within: .seconds(60))
        try #require(answers.map(\.tag) == ["INSERT 0 1", "INSERT 0 1"])
        let numbers = try answers.map { try $0.rows.map { try $0.number(0) } }
        try #require(numbers == [[Int64(first)], [Int64(second)]])
        let failure = try #require(throws: PostgresFailure.self) {
          try session.run(
            together: [
              Self.insert(100), PostgresRequest(Self.divide, [.number(Int32(0))]), Self.insert(101),
            ], within: .seconds(60))
        }
        try #require(failure.state == "22012" && !session.connection.isBroken)
        let rows = try session.run(Self.list, [], within: .seconds(60))
        try #require(try rows.map { try $0.number(0) } == Array(0...Int64(second)))
      }
    }
  }

  /// A libpq before version 14 sends a statement only after the answer to the one before.
  @Test func `are answered in their order with an old libpq, too`() async throws {
    try await withConnection { session in
      let (connection, deadline) = (session.connection, Instant.now.advanced(by: .seconds(60)))
      let answers = try connection.runEach(
        [Self.insert(1), Self.insert(2)], isNamed: true, until: deadline)
      try #require(try answers.map { try $0.rows[0].number(0) } == [1, 2])
      let failure = try #require(throws: PostgresFailure.self) {
        try connection.runEach(
          [PostgresRequest(Self.divide, [.number(Int32(0))]), Self.insert(3)], isNamed: true,
          until: deadline)
      }
      try #require(failure.state == "22012" && !connection.isBroken)
      try #require(try session.run(Self.list, [], within: .seconds(60)).count == 2)
    }
  }

  @Test func `leave open what was done if the connection ends`() async throws {
    try await withConnection { session in
      let failure = try #require(throws: PostgresFailure.self) {
        try session.run(
          together: [Self.insert(1), PostgresRequest(Self.end, []), Self.insert(2)],
          within: .seconds(60))
      }
      try #require(failure.kind == .unknown && session.connection.isBroken)
    }
  }
}
