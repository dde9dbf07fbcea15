import Foundation
import Keepsake
import Testing

@testable import KeepsakePostgres

/// The plans of the statements that find sessions, in a database in which reading a whole table would be slow.
///
/// A server plans a statement for its values at first, and for any values after some calls.
@Suite(.enabled(if: PostgresServer.isHere, PostgresServer.obstacle))
struct `Lists at a hub in PostgreSQL` {
  @Test func `are read and written by an index, however many sessions there are`() async throws {
    let server = try #require(PostgresServer.shared)
    let database = try await hub(of: 40000, server)
    try await server.sql(
      database,
      [
        """
        INSERT INTO keepsake.log (space, session, version, stamp, at, digest, seal, bytes)
        SELECT 1, session, 1, stamp, 1, '\\x00', '\\x00', '\\x00' FROM keepsake.head
        """,
        "INSERT INTO keepsake.listing SELECT 1, session, row_number() OVER () FROM keepsake.head",
        // All sessions have the term 01, a hundredth of the sessions has the term 02, and each session has a term of its own.
        """
        INSERT INTO keepsake.term SELECT 1, 1, '\\x01'::bytea, session FROM keepsake.listing
        UNION ALL SELECT 1, 1, '\\x02'::bytea, session FROM keepsake.listing WHERE updated % 100 = 0
        UNION ALL SELECT 1, 3, decode(md5(updated::text), 'hex'), session FROM keepsake.listing
        """,
        // A tenth of the sessions has one of three tags.
        """
        INSERT INTO keepsake.term SELECT 1, 0, set_byte('\\x00', 0, (updated % 3)::integer), session
        FROM keepsake.listing WHERE updated % 10 = 0
        """,
        "VACUUM ANALYZE",
      ])
    let page = "1, 0, 9000000, '\(UUID.last)', 51"
    let (session, stamp) = (UUID(), UUID())
    // The hundredth session has three terms, which the fork gets.
    let hundredth = try await server.sql(
      database,
      [
        "SELECT session, stamp FROM keepsake.listing JOIN keepsake.head USING (space, session) WHERE updated = 100"
      ])
    let origin = "'\(try hundredth[0].id(0))'"
    let originStamp = "'\(try hundredth[0].id(1))'"
    func commit(on base: String, _ stamp: UUID, kinds: Int, from origin: String) -> String {
      """
      1, '\(UUID.last)', ARRAY['\(session)'::uuid], ARRAY[\(base)::uuid], ARRAY['\(stamp)'::uuid], ARRAY['\\x01'::bytea], \
      ARRAY['\\x01'::bytea], ARRAY[7::bigint], ARRAY[\(kinds)], ARRAY[\(origin)::uuid], ARRAY[1, 1], ARRAY[1, 0], \
      ARRAY['\\x01'::bytea, '\\x05'::bytea]
      """
    }
    let queries: [(PostgresStatement, String)] = [
      (PostgresCommit.plain, commit(on: "NULL", stamp, kinds: 8, from: origin)),
      (PostgresCommit.plain, commit(on: "'\(stamp)'", UUID(), kinds: 1, from: "NULL")),
      (PostgresHub.listing(having: 0, isBounded: true), page),
      (PostgresHub.listing(having: 0, isBounded: false), page),
      (PostgresHub.listing(having: 1, isBounded: true), "\(page), 1, '\\x01'"),
      (PostgresHub.listing(having: 1, isBounded: false), "\(page), 1, '\\x01'"),
      (PostgresHub.listing(having: 1, isBounded: true), "\(page), 1, '\\x02'"),
      (PostgresHub.listing(having: 1, isBounded: false), "\(page), 1, '\\x02'"),
      (PostgresHub.listing(having: 2, isBounded: true), "\(page), 1, '\\x02', 1, '\\x01'"),
      (PostgresHub.listing(having: 2, isBounded: false), "\(page), 1, '\\x02', 1, '\\x01'"),
      (PostgresHub.listing(having: 2, isBounded: true), "\(page), 1, '\\x01', 1, '\\x02'"),
      (PostgresHub.listing(having: 2, isBounded: false), "\(page), 1, '\\x01', 1, '\\x02'"),
      (PostgresHub.between, "1, '\(UUID.first)', '\(UUID.last)', 51"),
      (PostgresHub.some, "1, ARRAY['\(session)'::uuid, \(origin)::uuid], '\(UUID.last)'"),
      (PostgresHub.listings, "1, ARRAY['\(session)'::uuid, \(origin)::uuid]"),
      (
        PostgresHub.listingAgain,
        "1, \(origin), \(originStamp), 7, ARRAY[1], ARRAY['\\x09'::bytea]"
      ),
      (PostgresHub.counting, "1, 0"),
      (PostgresHub.having, "1, '\(UUID.first)', '\(UUID.last)', 500, 1, '\\x01'"),
    ]
    for (statement, values) in queries {
      try await expectIndex(statement, values, "force_generic_plan", server, database)
    }
    let terms = try await server.sql(
      database,
      ["SELECT count(*) FROM keepsake.term WHERE session = '\(session)' AND kind IN (0, 1, 3)"])
    #expect(try terms[0].number(0) == 4)
    let versions = try await server.sql(
      database, ["SELECT version FROM keepsake.head WHERE session = '\(session)'"])
    #expect(try versions[0].number(0) == 2)
  }

  /// A server that was just filled has no figures of its tables, from which it would make its plans.
  @Test(arguments: ["force_custom_plan", "force_generic_plan"])
  func `are read by an index before the server knows its tables`(mode: String) async throws {
    let server = try #require(PostgresServer.shared)
    let database = try await server.database()
    try await PostgresHub.open(at: server.address(database), making: true).close()
    try await server.sql(
      database,
      [
        "ALTER TABLE keepsake.listing SET (autovacuum_enabled = off)",
        "INSERT INTO keepsake.listing SELECT 1, gen_random_uuid(), n FROM generate_series(1, 200000) n",
      ])
    for isBounded in [false, true] {
      let page = "1, \(isBounded ? 5 : Int64.min), 199000, '\(UUID.last)', 51"
      try await expectIndex(
        PostgresHub.listing(having: 0, isBounded: isBounded), page, mode, server, database)
    }
  }

  /// Counting tags reads each row of a tag. A server would rather read the whole table if half of its rows are such rows.
  @Test(arguments: ["force_custom_plan", "force_generic_plan"])
  func `count tags by an index, also where most terms are tags`(mode: String) async throws {
    let server = try #require(PostgresServer.shared)
    let database = try await hub(of: 5000, server)
    try await server.sql(
      database,
      [
        """
        INSERT INTO keepsake.term SELECT 1, kind, '\\x01'::bytea, session
        FROM keepsake.head, generate_series(0, 1) kind
        """,
        "VACUUM ANALYZE",
      ])
    try await expectIndex(PostgresHub.counting, "1, 0", mode, server, database)
  }

  /// Makes a hub in a new database, with so many sessions of which nothing but their newest version is known.
  private func hub(of sessions: Int, _ server: PostgresServer) async throws -> String {
    let database = try await server.database()
    try await PostgresHub.open(at: server.address(database), making: true).close()
    try await server.sql(
      database,
      [
        """
        INSERT INTO keepsake.head (space, session, version, stamp, seal)
        SELECT 1, gen_random_uuid(), 1, gen_random_uuid(), '\\x00' FROM generate_series(1, \(sessions))
        """
      ])
    return database
  }

  /// Expects that a statement reads no table as a whole, and no more rows than a page of a list takes.
  private func expectIndex(
    _ statement: PostgresStatement, _ values: String, _ mode: String, _ server: PostgresServer,
    _ database: String
  ) async throws {
    let plan = try await server.sql(
      database,
      [
        "SET plan_cache_mode = \(mode)", "PREPARE p AS \(statement.sql)",
        "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) EXECUTE p (\(values))",
      ]
    ).map { try $0.text(0) }.joined(separator: "\n")
    #expect(plan.contains("actual rows"), "\(plan)")
    // Reading the table `hub` as a whole is right, because it has one row.
    let scanned = plan.replacing("Seq Scan on hub", with: "")
    #expect(!scanned.contains("Seq Scan on"), "\(values):\n\(plan)")
    // The longest page has the sessions of a rare term, which are all read and put in order.
    for match in plan.matches(of: /actual rows=(\d+) loops=(\d+)/) {
      let rows = try #require(Int(match.1)) * (try #require(Int(match.2)))
      #expect(rows <= 6000, "\(values):\n\(plan)")
    }
  }
}
