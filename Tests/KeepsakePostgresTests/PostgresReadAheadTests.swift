import Foundation
import KeepsakeFiles
import KeepsakeTestSupport
import Testing

@testable import Keepsake
@testable import KeepsakePostgres

@Suite(.enabled(if: PostgresServer.isHere, PostgresServer.obstacle))
struct `A mirror that takes over many sessions of a database` {
  private static let count = 30

  @Test func `has more than one connection meanwhile, and up to four`() async throws {
    let server = try #require(PostgresServer.shared)
    let database = try await server.database()
    let workers = try await Workers(1, server.address(database))
    try await Self.fill(workers)
    let connections = Locked(0)
    let proxy = try CuttingProxy(to: server.port) { _ in
      connections.withLock { $0 += 1 }
      return .none
    }
    defer { proxy.close() }
    try await Self.mirror(
      server.address(database), syncedAt: server.address(database, port: proxy.port))
    #expect((2...4).contains(connections.withLock { $0 }))
    try await workers.end()
  }

  @Test func `has all of them also where the server gives it a single connection`() async throws {
    let server = try #require(PostgresServer.shared)
    let database = try await server.database()
    let workers = try await Workers(1, server.address(database))
    try await Self.fill(workers)
    let role = "single_\(database)"
    try await server.sql(
      database,
      ["CREATE ROLE \(role) LOGIN CONNECTION LIMIT 1"] + PostgresSchema.grants(to: role))
    let address = server.address(database, user: role)
    try await Self.mirror(address, syncedAt: address)
    try await workers.end()
  }

  private static func fill(_ workers: Workers) async throws {
    for number in 0..<count {
      try await workers.stores[0].createSession().append(.prompt("\(number)"))
    }
  }

  /// Makes a mirror that joins the hub at one address and syncs with it at another, and expects that the mirror has all sessions.
  private static func mirror(_ joined: String, syncedAt address: String) async throws {
    let mirror = try await Store.temporary()
    try await mirror.join(.postgres(joined))
    let report = try await mirror.sync(with: .postgres(address))
    #expect(report.received.count == count && report.aside.isEmpty)
    try await mirror.removeTemporary()
  }
}
