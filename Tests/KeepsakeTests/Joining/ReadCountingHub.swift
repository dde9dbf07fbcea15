import Foundation
import KeepsakeFiles
import KeepsakeHubConformance

@testable import Keepsake

/// A hub that counts how often versions are read.
struct ReadCountingHub: ForwardingHub {
  let hub: any Hub
  let reads: Locked<Int>

  func versions(of session: UUID, after version: Int64, bytes: Int) async throws -> HubVersions {
    reads.withLock { $0 += 1 }
    return try await hub.versions(of: session, after: version, bytes: bytes)
  }
}
