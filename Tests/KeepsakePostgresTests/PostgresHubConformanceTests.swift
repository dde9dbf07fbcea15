import KeepsakeHubConformance
import KeepsakeTestSupport
import Testing

@testable import KeepsakePostgres

@Suite(.enabled(if: PostgresServer.isHere, PostgresServer.obstacle))
struct `A hub in PostgreSQL does what every hub has to do` {
  @Test(arguments: HubConformance.checks) func conformance(_ check: HubConformance.Check)
    async throws
  {
    try await #require(PostgresServer.shared).run(check)
  }
}

/// A pooler sends the transactions of one client over different connections to the server. A connection does not know the statements
/// that the client prepared on another one.
@Suite(.enabled(if: PostgresServer.hasPooler, PostgresServer.poolerObstacle))
struct `A hub in PostgreSQL behind a pooler does what every hub has to do` {
  private static let server = try? PostgresServer(PostgresServer.pooled)

  @Test(arguments: HubConformance.checks) func conformance(_ check: HubConformance.Check)
    async throws
  {
    try await #require(Self.server).run(check)
  }
}

extension PostgresServer {
  fileprivate func run(_ check: HubConformance.Check) async throws {
    try await Slots.shared.run {
      let address = address(try await database())
      let place = HubConformance.Place(
        make: { try await PostgresHub.open(at: address, making: true) },
        open: { try await PostgresHub.open(at: address) })
      try await check.run(place)
    }
  }
}
