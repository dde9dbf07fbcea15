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
    /// Commits a new session of so many bytes, and returns the name of the thread of the work; nil if the hub ran none.
    func thread(bytes: Int) async throws -> String? {
      let name = Locked<String?>(nil)
      let offer = HubOffer(
        session: UUID(), base: nil, stamp: UUID(), bytes: [UInt8](repeating: 7, count: bytes))
      let answers = try await hub.exchange(bytes: bytes) { make in
        name.withLock { $0 = threadName() }
        _ = make([offer])?(.seconds(60))
      }
      if answers == nil { #expect(try await hub.commit(offer).version == 1) }
      #expect(answers.map { $0.map(\.version) == [1] } ?? true)
      return name.withLock { $0 }
    }
    // The first commit of a connection has the server plan the statement. Until then the hub runs no work.
    #expect(try await thread(bytes: 1000) == nil)
    // While another hub of this process has the loan of a thread, the hub's own thread is used.
    var name: String? = "keepsake.hub"
    for _ in 0..<1000 where name == "keepsake.hub" { name = try await thread(bytes: 1000) }
    #expect(name != nil && name != "keepsake.hub")
    for _ in 0..<20 { #expect(try await thread(bytes: 65 << 10) == "keepsake.hub") }
    // The hub sends no offer of 257 KB for a store that has a transaction open, because sending it may take long.
    let large = HubOffer(
      session: UUID(), base: nil, stamp: UUID(), bytes: [UInt8](repeating: 7, count: 257 << 10))
    let made = Locked<Bool?>(nil)
    let answers = try await hub.exchange(bytes: 0) { make in
      let answers = make([large])
      made.withLock { $0 = answers != nil }
    }
    #expect(answers == nil && made.withLock { $0 } == false)
    await hub.close()
  }
}

/// Returns the name of this thread.
private func threadName() -> String {
  let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
  return name?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
}
