import KeepsakeHubConformance
import KeepsakeTestSupport
import Testing

@testable import Keepsake
@testable import KeepsakeObjects

/// Stores that share the sessions of a bucket.
@Suite(.enabled(if: S3Server.isHere, "\(S3Server.reason)"))
struct `Stores that share the sessions of a bucket` {
  @Test func `go on with each other's conversations`() async throws {
    try await Slots.shared.run {
      let server = try S3Server.shared.get()
      try await SharedConversation.run(
        at: .objects(server.place(), environment: server.environment))
    }
  }

  @Test(arguments: LongRun.seeds(otherwise: 1...2))
  func `come to have the same, and lose nothing, when tasks write at once`(seed: UInt64)
    async throws
  {
    try await Slots.shared.run {
      let server = try S3Server.shared.get()
      try await SharedCrowd.run(
        at: .objects(server.place(), environment: server.environment), steps: SharedCrowd.steps,
        seed: seed)
    }
  }
}
