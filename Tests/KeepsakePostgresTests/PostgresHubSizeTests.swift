import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHubConformance
import KeepsakeTestSupport
import Testing

@testable import KeepsakePostgres

@Suite(.enabled(if: PostgresServer.isHere, PostgresServer.obstacle))
struct `What is large in a hub in PostgreSQL` {
  @Test func `is carried as it is`() async throws {
    let server = try #require(PostgresServer.shared)
    let hub = try await PostgresHub.open(
      at: server.address(try await server.database()), making: true)
    let session = UUID()
    let bytes = [UInt8](repeating: 9, count: 17 << 20)
    let first = HubOffer(session: session, base: nil, stamp: UUID(), bytes: bytes)
    let second = HubOffer(session: session, base: first.stamp, stamp: UUID(), bytes: [1])
    // Two of one session, and more bytes than go in one statement.
    let answers = try await hub.commit([
      first, second, HubOffer(session: UUID(), base: nil, stamp: UUID(), bytes: bytes),
    ])
    #expect(answers.map(\.version) == [1, 2, 1])
    let part = try await hub.versions(of: session, after: 0, bytes: 1 << 20)
    #expect(part.versions.map(\.version) == [1] && part.hasMore)
    #expect(part.versions[0].bytes == bytes)
    let size = PostgresUpload.part
    for count in [
      PostgresUpload.inRow, PostgresUpload.inRow + 1, size, size + 1, 4 * size, 4 * size + 1,
    ] {
      let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: count), count: count)
      let id = Artifact.ID(of: bytes)
      try await hub.put(id) { take in
        for start in stride(from: 0, to: count, by: 700_001) {
          try take(Array(bytes[start..<min(count, start + 700_001)]))
        }
      }
      #expect(try await hub.bytes(id) == bytes)
      let isAsked = Locked(false)
      try await hub.put(id) { _ in isAsked.withLock { $0 = true } }
      #expect(!isAsked.withLock { $0 })
    }
    await hub.close()
  }

  @Test func `is refused beyond the limit with an error that says the limit`() async throws {
    let server = try #require(PostgresServer.shared)
    let hub = try await PostgresHub.open(
      at: server.address(try await server.database()), making: true)
    let bytes = [UInt8](repeating: 0, count: PostgresHub.largestCommit + 1)
    let offer = HubOffer(session: UUID(), base: nil, stamp: UUID(), bytes: bytes)
    let answers = try await hub.commit([offer, HubOffer(UUID(), on: nil)])
    #expect(answers[0].failure?.code == .tooLarge)
    #expect(answers[0].failure?.message.contains("\(PostgresHub.largestCommit)") == true)
    #expect(answers[1].version == 1)
    await hub.close()
  }
}
