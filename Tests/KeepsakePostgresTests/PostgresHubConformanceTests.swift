import KeepsakeHubConformance
import KeepsakeTestSupport
import Testing

@testable import KeepsakePostgres

@Suite(.enabled(if: PostgresServer.isHere, PostgresServer.obstacle))
struct `A hub in PostgreSQL does what every hub has to do` {
  @Test(arguments: HubConformance.checks) func conformance(_ check: HubConformance.Check)
    async throws
  {
    let server = try #require(PostgresServer.shared)
    try await Slots.shared.run {
      let address = server.address(try await server.database())
      let place = HubConformance.Place(
        make: { try await PostgresHub.open(at: address, making: true) },
        open: { try await PostgresHub.open(at: address) })
      try await check.run(place)
    }
  }
}
