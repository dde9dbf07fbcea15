import KeepsakeHubConformance
import KeepsakeTestSupport
import Testing

@testable import KeepsakeObjects

@Suite(.enabled(if: S3Server.isHere, "\(S3Server.reason)"))
struct `A hub in a bucket does what every hub has to do` {
  @Test(arguments: HubConformance.checks) func conformance(_ check: HubConformance.Check)
    async throws
  {
    try await Slots.shared.run {
      let server = try S3Server.shared.get()
      let address = server.place()
      let place = HubConformance.Place(
        make: { try await ObjectHub.open(at: address, server.settings, making: true) },
        open: { try await ObjectHub.open(at: address, server.settings) })
      try await check.run(place)
    }
  }
}
