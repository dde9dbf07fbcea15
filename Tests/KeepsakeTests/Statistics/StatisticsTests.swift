import Foundation
import Keepsake
import KeepsakeMigrations
import Testing

@Suite("How much a store holds")
struct StatisticsTests {
  @Test func `an empty store holds nothing`() async throws {
    let store = try await Store.temporary()
    let found = try await store.statistics()
    #expect(found.sessions == 0)
    #expect(found.artifacts == 0)
    #expect(found.savedBytes == 0)
    #expect(found.types.isEmpty && found.tools.isEmpty)
    #expect(found.databaseBytes > 0)
    try await store.removeTemporary()
  }

  @Test func `bytes that occur again are saved, and what a fork shares counts once`() async throws {
    let store = try await Store.temporary()
    let session = try await store.createSession()
    try await session.append(.prompt("two cups"))
    let call = Entry.ToolCall(tool: "Draw")
    try await session.append(.toolCalls([call]))
    let cup = Data("cup".utf8)
    for _ in 0..<3 { try await session.attach(cup, madeBy: call) }
    try await session.attach(Data("saucer".utf8), madeBy: .init(tool: "Bake"))
    // A text of an entry that is too large for its body is an artifact, and no attachment.
    try await session.append(.response(String(repeating: "long ", count: 300_000)))
    _ = try await session.fork()
    let found = try await store.statistics()
    #expect(found.sessions == 2)
    #expect(found.entries == 3)
    #expect(found.attachments == 4)
    #expect(found.artifacts == 3)
    #expect(found.artifactBytes == 1_500_009)
    #expect(found.savedBytes == 6)
    #expect(found.types.reduce(0) { $0 + $1.artifacts } == 3)
    #expect(found.tools.map(\.name) == ["Bake", "Draw"])
    #expect(found.tools.map(\.bytes) == [6, 3])
    #expect(found.tools.map(\.artifacts) == [1, 1])
    try await store.removeTemporary()
  }

  @Test func `its health says what waits for the index`() async throws {
    let store = try await Store.temporary()
    let session = try await store.createSession()
    for number in 0..<5 { try await session.append(.prompt("prompt \(number)")) }
    try await store.indexForSearch()
    let health = try await store.health()
    #expect(health.waitingForSearch == 0)
    #expect(health.store == store.id)
    #expect(health.schema == Migrations.all.count)
    #expect(health.sqliteVersion.hasPrefix("3."))
    #expect(health.databaseBytes > health.freeBytes)
    try await store.removeTemporary()
  }
}
