import Foundation
import Keepsake
import KeepsakeHubConformance
import KeepsakeTestSupport
import Testing

@testable import KeepsakePostgres

@Suite(.enabled(if: PostgresServer.isHere, PostgresServer.obstacle))
struct `Opening a hub in PostgreSQL` {
  private func failure(_ address: String, making: Bool = false) async -> KeepsakeError? {
    await #expect(throws: KeepsakeError.self) {
      try await PostgresHub.open(at: address, making: making)
    }
  }

  @Test func `makes it once, however many ask for it`() async throws {
    let server = try #require(PostgresServer.shared)
    let address = server.address(try await server.database())
    #expect(await failure(address)?.code == .notFound)
    let ids = try await withThrowingTaskGroup(of: UUID.self) { group in
      for _ in 0..<8 {
        group.addTask { try await PostgresHub.open(at: address, making: true).identity.id }
      }
      return try await group.reduce(into: Set<UUID>()) { $0.insert($1) }
    }
    #expect(ids.count == 1)
    #expect(try await PostgresHub.open(at: address, expecting: ids.first).identity.id == ids.first)
    let other = await #expect(throws: KeepsakeError.self) {
      try await PostgresHub.open(at: address, expecting: UUID())
    }
    #expect(other?.cause as? HubFault == ids.first.map(HubFault.another))
  }

  @Test func `refuses what is no hub, is newer, or can't be one`() async throws {
    let server = try #require(PostgresServer.shared)
    let ascii = server.address(
      try await server.database("ENCODING 'SQL_ASCII' TEMPLATE template0"))
    #expect(await failure(ascii, making: true)?.cause as? HubFault == .unconditional)
    let other = try await server.database()
    try await server.sql(
      other, ["CREATE SCHEMA keepsake", "CREATE TABLE keepsake.something (a integer)"])
    #expect(await failure(server.address(other), making: true)?.cause as? HubFault == .notAHub)
    let newer = try await server.database()
    _ = try await PostgresHub.open(at: server.address(newer), making: true)
    try await server.sql(newer, ["UPDATE keepsake.hub SET format = 99"])
    #expect(await failure(server.address(newer))?.cause as? HubFault == .newer)
    try await server.sql(newer, ["DELETE FROM keepsake.hub"])
    #expect(await failure(server.address(newer))?.code == .damaged)
    let strict = try await server.database()
    try await server.sql(
      "postgres", ["ALTER DATABASE \(strict) SET default_transaction_isolation = 'serializable'"])
    #expect(
      await failure(server.address(strict), making: true)?.cause as? HubFault == .unconditional)
    let readOnly = try await server.database()
    try await server.sql(
      "postgres", ["ALTER DATABASE \(readOnly) SET default_transaction_read_only = on"])
    #expect(
      await failure(server.address(readOnly), making: true)?.cause as? HubFault == .unconditional)
    #expect(await failure(server.address("nowhere"))?.cause as? HubFault == .unreachable)
    // Nobody listens there.
    #expect(
      await failure(server.address(newer, port: 1))?.cause as? HubFault == .unreachable)
  }

  /// A server refuses a connection where it has room for none, and a moment later it may have room.
  @Test func `waits a while for a server that has no room for another connection`() async throws {
    let server = try #require(PostgresServer.shared)
    let database = try await server.database()
    _ = try await PostgresHub.open(at: server.address(database), making: true)
    let role = "full_\(database)"
    try await server.sql(
      database,
      ["CREATE ROLE \(role) LOGIN CONNECTION LIMIT 1"] + PostgresSchema.grants(to: role))
    let address = server.address(database, user: role)
    let first = try await PostgresHub.open(at: address)
    let refused = await #expect(throws: KeepsakeError.self) {
      try await PostgresHub.open(
        at: address, patience: PostgresPatience(reaching: .milliseconds(100)))
    }
    #expect(refused?.cause as? HubFault == .unreachable)
    #expect(refused?.message.contains("too many connections") == true)
    async let second = PostgresHub.open(
      at: address, patience: PostgresPatience(reaching: .seconds(60)))
    try await Task.sleep(for: .milliseconds(300))
    await first.close()
    try await second.close()
  }

  @Test func `shows no password, and takes none in an address`() async throws {
    let secret = "s3cr3tword"
    for address in [
      "postgresql://me:\(secret)@127.0.0.1/chats",
      "postgres://me:\(secret)@/chats?keepsake_space=a",
      "postgresql://127.0.0.1/chats?user=me&password=\(secret)",
      "postgresql://127.0.0.1/chats?sslpassword=\(secret)&keepsake_space=b",
    ] {
      let error = #expect(throws: KeepsakeError.self) { try PostgresAddress(address) }
      #expect(error?.code == .refused)
      #expect(error?.message.contains(".pgpass") == true)
      #expect(error.map { "\($0)".contains(secret) } == false)
    }
    for address in [
      "", "chats", "https://127.0.0.1", "postgresql://me:\(secret)?x@127.0.0.1/chats",
      "postgresql://me@127.0.0.1/chats?nothing=\(secret)", "postgresql://%zz\(secret)/a",
      "postgresql://127.0.0.1/chats?keepsake_space=",
      "postgresql://127.0.0.1/chats?keepsake_space=%ff",
      "postgresql:///chats?keepsake_space=\(String(repeating: "a", count: 201))",
    ] {
      let error = #expect(throws: KeepsakeError.self) { try PostgresAddress(address) }
      #expect(error?.code == .invalid || error?.code == .refused, "\(address)")
      #expect(error.map { "\($0)".contains(secret) } == false)
    }
  }

  @Test func `an address is shown with what names the hub, and no more`() throws {
    let shown = [
      "postgresql://me@localhost:5433/chats?keepsake_space=a%20b&sslmode=disable":
        "postgresql://me@localhost:5433/chats?keepsake_space=a%20b",
      "postgres:///chats": "postgresql:///chats?keepsake_space=default",
      "postgresql://[::1]:5433/chats": "postgresql://[::1]:5433/chats?keepsake_space=default",
      "postgresql://a:1,b:2/chats?keepsake_space=x": "postgresql://a:1,b:2/chats?keepsake_space=x",
    ]
    for (address, text) in shown { #expect(try PostgresAddress(address).text == text) }
    let several = try PostgresAddress("postgresql://a,b/chats").options
    #expect(several.contains { $0.name == "target_session_attrs" && $0.value == "read-write" })
    #expect(
      try PostgresAddress("postgres:///a?connect_timeout=9").options
        .filter { $0.name == "connect_timeout" }.map(\.value) == ["9"])
  }

  @Test func `works with the rights that are documented, and names one that is missing`()
    async throws
  {
    let server = try #require(PostgresServer.shared)
    let database = try await server.database()
    _ = try await PostgresHub.open(at: server.address(database), making: true)
    let role = "least_\(database)"
    let grants = PostgresSchema.grants(to: role)
    let documents = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Documentation/Hubs.md")
    let page = try String(decoding: Data(contentsOf: documents), as: UTF8.self)
    #expect(
      page.contains("```sql\n\(PostgresSchema.grants(to: "app").joined(separator: "\n"))\n```"))
    try await server.sql(database, ["CREATE ROLE \(role) LOGIN"] + grants)
    let address = server.address(database, user: role)
    let hub = try await PostgresHub.open(at: address, making: true)
    let session = UUID()
    let large = [UInt8](repeating: 7, count: 3 << 20)
    let artifacts = [try await hub.put([1, 2]), try await hub.put(large)]
    for _ in 0..<3 { _ = try await hub.push(session, needs: artifacts) }
    #expect(try await hub.soundLog(session).count == 3)
    #expect(try await hub.directory().heads.count == 1)
    #expect(try await hub.changes(after: nil).mayHaveMissed)
    #expect(try await hub.bytes(artifacts[1]) == large)
    _ = try await hub.put(large)
    try await hub.remove(artifacts) { [] }
    #expect(try await hub.promises().survivesCrash)
    await hub.close()
    for statement in [
      "DELETE FROM keepsake.log", "UPDATE keepsake.space SET name = ''",
      "DELETE FROM keepsake.head",
      "INSERT INTO keepsake.space VALUES (9, gen_random_uuid(), 'mine')",
    ] {
      let error = await #expect(throws: PostgresFailure.self) {
        try await server.sql(database, user: role, [statement])
      }
      #expect(error?.state == "42501")
    }
    // A space of its own is made by the owner.
    let space = await failure(server.address(database, user: role, space: "mine"), making: true)
    #expect(space?.code == .permissionDenied)
    for grant in grants {
      let revoke = grant.replacingOccurrences(of: "GRANT", with: "REVOKE")
        .replacingOccurrences(of: " TO ", with: " FROM ")
      try await server.sql(database, [revoke])
      let error = await failure(address)
      #expect(error?.code == .permissionDenied)
      let right = grant.dropFirst("GRANT ".count).components(separatedBy: " TO ")[0]
      #expect(error?.message.contains(right) == true, "\(error?.message ?? "")")
      try await server.sql(database, [grant])
    }
  }

  @Test func `says in words what a yes is worth`() async throws {
    let server = try #require(PostgresServer.shared)
    let database = try await server.database()
    let first = try await PostgresHub.open(at: server.address(database), making: true)
    let usual = try await first.promises()
    #expect(usual.survivesCrash && !usual.survivesServer)
    #expect(usual.sentences.count == 2)
    try await server.sql("postgres", ["ALTER DATABASE \(database) SET synchronous_commit = off"])
    let weak = try await PostgresHub.open(at: server.address(database)).promises()
    #expect(!weak.survivesCrash)
    #expect(weak.sentences.contains { $0.contains("synchronous_commit is off") })
    let best = PostgresPromises(
      synchronousCommit: "on", synchronousStandbys: "*", syncsDisk: true, writesFullPages: true)
    #expect(best.survivesCrash && best.survivesServer)
    #expect(best.sentences.allSatisfy { $0.contains("survives") || $0.contains("loses nothing") })
  }

  @Test func `two spaces of a database never see each other`() async throws {
    let server = try #require(PostgresServer.shared)
    let database = try await server.database()
    let addresses = ["a", "b"].map { server.address(database, space: $0) }
    let (one, two) = (
      try await PostgresHub.open(at: addresses[0], making: true),
      try await PostgresHub.open(at: addresses[1], making: true)
    )
    #expect(one.identity.id != two.identity.id)
    let mark = try await two.changes(after: nil).mark
    let session = UUID()
    let bytes = [UInt8](repeating: 5, count: 70_000)
    let artifact = try await one.put(bytes)
    let first = HubOffer(session, on: nil, needs: [artifact])
    #expect(try await one.commit(first).version == 1)
    #expect(try await two.missing(of: [artifact]) == [artifact])
    #expect(try await two.commit(first).lacking == [artifact])
    #expect(try await two.log(session).isEmpty)
    #expect(try await two.directory().heads.isEmpty)
    #expect(try await two.changes(after: mark).sessions.isEmpty)
    // Two spaces keep separate histories of a session, even where its id and the stamps are the same in both.
    let other = HubOffer(session, on: nil, stamp: first.stamp)
    for hub in [two, one] {
      #expect(
        try await hub.commit(HubOffer(session, on: other.stamp)).version == (hub === one ? 2 : nil))
    }
    #expect(try await two.commit(other).version == 1)
    #expect(try await two.soundLog(session).count == 1)
    #expect(try await one.soundLog(session).count == 2)
    _ = try await two.put(bytes)
    try await one.remove([artifact]) { [] }
    #expect(try await two.bytes(artifact) == bytes)
    // A row of one space is none of the other, also where somebody moves it there.
    try await server.sql(
      database,
      [
        """
        INSERT INTO keepsake.log (space, session, version, stamp, base, at, digest, seal, bytes)
        SELECT o.number, l.session, l.version, l.stamp, l.base, l.at, l.digest, l.seal, l.bytes
        FROM keepsake.log l, keepsake.space o WHERE o.name = 'b' AND l.version = 2
        """,
        "UPDATE keepsake.head SET version = 2 WHERE version = 1",
      ])
    let error = await #expect(throws: KeepsakeError.self) { try await two.log(session) }
    #expect(error?.cause as? HubFault == .damaged(session: session))
    #expect(try await one.soundLog(session).count == 2)
  }
}
