import Foundation
import Testing

@testable import Keepsake

/// Copies of sessions that the store had, has, or has otherwise.
@Suite("Taking in again")
struct TakingInAgainTests {
  private func family(_ store: Store) async throws -> [Session] {
    let session = try await store.createSession(title: "One")
    try await session.append([.prompt("zero"), .response("one"), .prompt("two")])
    try await session.attach(.init(.bytes(DeletingTests.large), madeBy: .user), to: 1)
    let fork = try await session.fork(before: 2)
    try await fork.append(.response("another"))
    return [session, fork]
  }

  @Test func `E4: what was deleted here comes back whole`() async throws {
    try await withTemporaryStore { store in
      let family = try await family(store)
      let copy = try RecordedCopy(of: family)
      let heads = try await store.verify().heads
      try await store.deleteSessions(family.map(\.id))
      #expect(try await store.restoring(copy).sessions.map(\.new) == [true, true])
      let report = try await store.verify(.init(readData: true))
      #expect(report.isSound)
      #expect(report.heads == heads)
      #expect(try await store.restoring(copy).sessions.map(\.new) == [false, false])
    }
  }

  @Test(.disabled(if: SharedStores.areUsed, "Stores that share restore nothing."))
  func `E4: what forks of a deleted session still share is in the way, until they go too`()
    async throws
  {
    try await withTemporaryStore { store in
      let family = try await family(store)
      let copy = try RecordedCopy(of: [family[0]])
      try await store.deleteSession(family[0].id)
      let error = await #expect(throws: KeepsakeError.self) { try await store.restoring(copy) }
      #expect(error?.code == .conflict)
      #expect(error?.message.contains("Delete the forks") == true)
      #expect(try await family[1].texts() == ["zero", "one", "another"])
      #expect(try await store.verify().isSound)
      try await store.deleteSession(family[1].id)
      #expect(try await store.restoring(copy).sessions.map(\.new) == [true])
      #expect(try await store.session(family[0].id).texts() == ["zero", "one", "two"])
    }
  }

  @Test(.disabled(if: SharedStores.areUsed, "Stores that share restore nothing."))
  func `E4: another session of the same id is refused, and changes nothing`() async throws {
    try await withTemporaryStore { store in
      let family = try await family(store)
      let heads = try await store.verify().heads
      try await withTemporaryStore { other in
        let twin = try await other.createSession(title: "Twin", id: family[0].id)
        try await twin.append([.prompt("zero"), .response("something else"), .prompt("three")])
        let free = try await other.createSession(title: "Free")
        let copy = try RecordedCopy(of: [twin, free])
        let error = await #expect(throws: KeepsakeError.self) { try await store.restoring(copy) }
        #expect(error?.code == .conflict)
      }
      #expect(try await store.verify(.init(readData: true)).heads == heads)
      #expect(try await store.sessions().sessions.count == 2)
    }
  }

  @Test func `E4: what was erased here stays erased, however old the copy is`() async throws {
    try await withTemporaryStore { store in
      let family = try await family(store)
      let copy = try RecordedCopy(of: family)
      try await family[0].erase(0)
      let heads = try await store.verify().heads
      #expect(try await store.restoring(copy).sessions.map(\.new) == [false, false])
      #expect(try await family[0].entry(at: 0).isErased)
      #expect(try await family[1].entry(at: 0).isErased)
      #expect(try await store.verify(.init(readData: true)).heads == heads)
    }
  }
}
