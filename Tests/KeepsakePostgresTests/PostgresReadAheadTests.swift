import Foundation
import KeepsakeFiles
import KeepsakeTestSupport
import Testing

@testable import Keepsake
@testable import KeepsakePostgres

@Suite(.enabled(if: PostgresServer.isHere, PostgresServer.obstacle))
struct `A mirror that takes over many sessions of a database` {
  private static let count = 30

  @Test(arguments: [(artifacts: 0, most: 4), (artifacts: 6, most: 8)])
  func `has more than one connection meanwhile, and not many`(
    artifacts: Int, most: Int
  ) async throws {
    let server = try #require(PostgresServer.shared)
    let database = try await server.database()
    let workers = try await Workers(1, server.address(database))
    try await Self.fill(workers, artifacts: artifacts)
    let connections = Locked(0)
    let proxy = try CuttingProxy(to: server.port) { _ in
      connections.withLock { $0 += 1 }
      return .none
    }
    defer { proxy.close() }
    try await Self.mirror(
      .postgres(server.address(database)),
      syncedAt: .postgres(server.address(database, port: proxy.port)))
    #expect((2...most).contains(connections.withLock { $0 }))
    try await workers.end()
  }

  @Test
  func `sends its own, and checks the hub, also over the single connection that a server gives`()
    async throws
  {
    let server = try #require(PostgresServer.shared)
    let database = try await server.database()
    let workers = try await Workers(1, server.address(database))
    try await Self.fill(workers, artifacts: 3)
    let role = "single_\(database)"
    try await server.sql(
      database,
      ["CREATE ROLE \(role) LOGIN CONNECTION LIMIT 1"] + PostgresSchema.grants(to: role))
    let address = try HubAddress.postgres(server.address(database, user: role))
    try await Self.mirror(address, syncedAt: address) { mirror in
      try await mirror.createSession().append(
        .prompt("sent"),
        attaching: Self.artifacts(6, of: Self.count)
          + Self.artifacts(2, of: Self.count + 1, size: 1_200_000))
      let sent = try await mirror.sync(with: address)
      #expect(sent.sentArtifacts == 8 && sent.failed.isEmpty)
      let report = try await Store.checkHub(at: address, readingData: true)
      #expect(report.findings == [] && report.sessions == Self.count + 1)
    }
    try await workers.end()
  }

  /// Makes sessions with one entry each, which has some artifacts.
  private static func fill(_ workers: Workers, artifacts: Int) async throws {
    for number in 0..<count {
      try await workers.stores[0].createSession()
        .append(.prompt("\(number)"), attaching: Self.artifacts(artifacts, of: number))
    }
  }

  private static func artifacts(_ count: Int, of session: Int, size: Int = 1000) -> [Entry
    .NewAttachment]
  {
    (0..<count).map { number in
      let bytes = Array("\(session) \(number)".utf8) + [UInt8](repeating: 7, count: size)
      return Entry.NewAttachment(.bytes(bytes), madeBy: .user)
    }
  }

  /// Makes a mirror that joins the hub at one address and syncs with it at another, and expects that the mirror has all sessions.
  private static func mirror(
    _ joined: HubAddress, syncedAt address: HubAddress,
    _ body: (Store) async throws -> Void = { _ in }
  ) async throws {
    let mirror = try await Store.temporary()
    try await mirror.join(joined)
    let report = try await mirror.sync(with: address)
    #expect(report.received.count == count && report.aside.isEmpty)
    try await body(mirror)
    try await mirror.removeTemporary()
  }
}
