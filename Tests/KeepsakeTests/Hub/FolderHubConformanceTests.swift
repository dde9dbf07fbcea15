import KeepsakeTestSupport
import KeepsakeHubConformance
import Testing

@testable import Keepsake

@Suite struct `A hub in a folder does what every hub has to do` {
  @Test(arguments: HubConformance.checks) func conformance(_ check: HubConformance.Check)
    async throws
  {
    try await Slots.shared.run {
      let folder = try HubFolder()
      let place = HubConformance.Place(
        make: { try await FolderHub.open(at: folder.path, making: true) },
        open: { try await FolderHub.open(at: folder.path) })
      try await check.run(place)
    }
  }
}
