import KeepsakeHubConformance
import KeepsakeTestSupport
import Testing

@testable import KeepsakeObjects

@Suite(.enabled(if: S3Server.isHere, "\(S3Server.reason)"))
struct `A hub in a bucket does what every hub has to do` {
  /// Servers read the same protocol differently, so each kind that is here is asked.
  @Test(arguments: HubConformance.checks, S3Server.kinds.here)
  func conformance(_ check: HubConformance.Check, _ kind: String) async throws {
    let server = try await S3Server.server(kind)
    try await Slots.shared.run {
      let address = server.place()
      let place = HubConformance.Place(
        make: { try await ObjectHub.open(at: address, server.settings, making: true) },
        open: { try await ObjectHub.open(at: address, server.settings) })
      try await check.run(place)
    }
  }
}
