import Foundation
import Keepsake
import KeepsakeHubConformance
import Testing

@testable import KeepsakePostgres

/// These tests count how often a program waits for the server to open a hub, and to ask it something. Where the server is far away, little
/// else takes time.
///
/// The round trips of connecting depend on libpq and on the server's settings. The tests measure these
/// round trips and take them off.
@Suite(.enabled(if: PostgresServer.isHere, PostgresServer.obstacle))
struct `A hub in a database that is far away` {
  @Test func `is asked five times to open it again`() async throws {
    let server = try #require(PostgresServer.shared)
    let database = try await server.database()
    let known = try await PostgresHub.open(at: server.address(database), making: true)
    let connecting = try await roundTripsOfConnecting(to: server, database)
    let opening = try await roundTrips(to: server, database) { address in
      let hub = try await HubAddress.postgres(address).open(.init(id: known.identity.id))
      return { await hub.close() }
    }
    #expect(connecting > 0)
    #expect(opening - connecting == 5)
    await known.close()
  }

  @Test func `is asked seven times to open a store that shares`() async throws {
    let server = try #require(PostgresServer.shared)
    let database = try await server.database()
    let workers = try await Workers(1, server.address(database))
    let store = workers.stores[0]
    let written = try await store.createSession(title: "Fruit")
    try await written.append(.prompt("a banana?"))
    let cache = store.url
    await store.close()
    let connecting = try await roundTripsOfConnecting(to: server, database)
    let opening = try await roundTrips(to: server, database) { address in
      let store = try await Store(at: cache, joining: .postgres(address), as: .shared)
      return { await store.close() }
    }
    // Opening the hub takes five round trips. The store prepares and runs the statement that reads what was erased elsewhere.
    #expect(opening - connecting == 7)
    try await workers.end()
  }

  @Test func `is asked once for each thing, also after some connections have read many sessions`()
    async throws
  {
    let server = try #require(PostgresServer.shared)
    let database = try await server.database()
    let known = try await PostgresHub.open(at: server.address(database), making: true)
    let sessions = (0..<40).map { _ in UUID() }
    for session in sessions { _ = try await known.commit(HubOffer(session, on: nil)) }
    await known.close()
    let proxy = try CuttingProxy(to: server.port) { _ in .none }
    defer { proxy.close() }
    let hub = try await PostgresHub.open(at: server.address(database, port: proxy.port))
    let mark = try await hub.changes(after: nil).mark
    func look() async throws -> Int {
      let before = proxy.roundTrips
      _ = try await hub.notes(.erasing)
      _ = try await hub.changes(after: mark)
      return proxy.roundTrips - before
    }
    _ = try await look()
    for _ in 0..<10 {
      _ = try await Abreast.map(sessions, atMost: 4) {
        try await hub.versions(of: $0, after: 0, bytes: 1000)
      }
      #expect(try await look() == 2)
    }
    await hub.close()
  }

  private func roundTripsOfConnecting(
    to server: PostgresServer, _ database: String
  ) async throws -> Int {
    try await roundTrips(to: server, database) { address in
      let options = try PostgresAddress(address).options
      let connection = try await onOwnThread { try PostgresConnection(options) }
      return { withExtendedLifetime(connection) {} }
    }
  }

  /// Counts the round trips of opening something.
  ///
  /// - Parameters:
  ///   - server: The server.
  ///   - database: The name of the database.
  ///   - open: A closure that gets the address of the database on a way that is counted, and returns a closure that closes what it opened.
  private func roundTrips(
    to server: PostgresServer, _ database: String,
    _ open: (_ address: String) async throws -> () async -> Void
  ) async throws -> Int {
    let proxy = try CuttingProxy(to: server.port) { _ in .none }
    defer { proxy.close() }
    let close = try await open(server.address(database, port: proxy.port))
    let count = proxy.roundTrips
    await close()
    return count
  }
}
