import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHubConformance
import Testing

@testable import KeepsakePostgres

@Suite(.enabled(if: PostgresServer.isHere, PostgresServer.obstacle))
struct `The thread on which a store works while PostgreSQL decides` {
  @Test func `is the caller's for a small commit, and the hub's own for a large one`() async throws
  {
    let server = try #require(PostgresServer.shared)
    let hub = try await PostgresHub.open(
      at: server.address(try await server.database()), making: true)
    /// Commits a new session of so many bytes, and returns the name of the thread of the work.
    func thread(bytes: Int) async throws -> String {
      let name = Locked("")
      let offer = HubOffer(
        session: UUID(), base: nil, stamp: UUID(), bytes: [UInt8](repeating: 7, count: bytes))
      let answers = try await hub.commit([offer]) { answers in
        name.withLock { $0 = threadName() }
        _ = answers(.seconds(60))
      }
      #expect(answers.map(\.version) == [1])
      return name.withLock { $0 }
    }
    // Before a connection is open, and while another hub of this process has the loan of a thread, the hub's own thread is used.
    var name = "keepsake.hub"
    for _ in 0..<1000 where name == "keepsake.hub" { name = try await thread(bytes: 1000) }
    #expect(name != "keepsake.hub")
    for _ in 0..<20 { #expect(try await thread(bytes: 65 << 10) == "keepsake.hub") }
    await hub.close()
  }
}

/// Returns the name of this thread.
private func threadName() -> String {
  let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
  return name?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
}
