import Foundation
import Testing

@testable import Keepsake

/// Faults of the store that random histories found, each with the fewest steps that showed it.
@Suite("What random histories found")
struct RandomHistoryFindsTests {
  private func findings(_ store: Store) async throws -> [String] {
    try await store.verify().findings.filter { $0.severity != .harmless }.map(\.what)
  }

  /// The fork counts the highest turn that it shares. The check looked at the last shared entry alone, which may belong to a
  /// lane that had no turn yet, or whose turn began earlier.
  @Test func `a fork counts the turns that it shares, whichever lane spoke last`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      var prompt = Entry.prompt("Bread?")
      prompt.lane = "chat"
      var response = Entry.response("Rye.")
      response.lane = "router"
      try await session.append([prompt, response])
      _ = try await session.fork()
      #expect(try await findings(store) == [])
    }
  }

  /// Erasing removes an artifact together with the index of what was made from it. The bytes come back as an artifact with
  /// the same id, and the attachment still names it as its input. That is told, and is no fault.
  @Test func `a store is sound when erased bytes come again from which something was made`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let cup = try await session.attach(.init(.bytes([1]), madeBy: .user))
      let id = try #require(cup.artifact?.id)
      var blue = Entry.NewAttachment(.bytes([2]), madeBy: .step("Edit"))
      blue.inputs = [.artifact(id)]
      try await session.attach(blue)
      try await session.erase(cup)
      #expect(try await findings(store) == [])
      try await session.attach(.init(.bytes([1]), madeBy: .user))
      #expect(try await findings(store) == [])
    }
  }

  /// The list parts ways after the event that went back. The fork was made before the event, so that in the fork the
  /// entries that were taken back were live again, and the list parted ways with them, too.
  @Test func `a list that parts ways where a conversation went back is saved as a fork`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let bread = try await session.append(.prompt("Bread?"))
      try await session.append(.response("Rye."))
      try await session.append(.goingBack(to: 0))
      try await session.append(.response("Wheat."))
      let saved = try await session.save([bread, .response("Spelt.")], ifDiverging: .fork)
      #expect(try await saved.session.texts().last == "Spelt.")
      #expect(try await !saved.session.livePath().contains(1))
      #expect(try await store.sessions().sessions.count == 2)
    }
  }

  /// Erasing read the newest content of the entry, as the deleted session had it. No session shows that content, so its text
  /// is gone, and the entry could not be erased.
  @Test
  func `what a fork shares is erased, also if a deleted session had revised it to a large text`()
    async throws
  {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      let session = try await store.createSession()
      try await session.append(.response("Rye."))
      let fork = try await session.fork()
      let large = String(repeating: "Rye. ", count: LargeText.limit / 5 + 1)
      try await session.revise(0, to: .response(large))
      try await store.deleteSession(session.id)
      #expect(try await fork.texts() == ["Rye."])
      try await fork.erase(0)
      #expect(try await fork.entry(at: 0).isErased)
    }
  }

  @Test func `an erased attachment can't be changed any more`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append(.prompt("A cup."))
      let cup = try await session.attach(.init(.bytes([1]), madeBy: .step("Draw")))
      try await session.erase(cup)
      let changes: [() async throws -> Void] = [
        { try await session.settle(cup, as: .failed) },
        { try await session.settle(cup, with: .bytes([2])) },
        { try await session.caption(cup, "blue") }, { try await session.bind(cup, to: 0) },
      ]
      for change in changes {
        #expect(await keepsakeError { try await change() }?.code == .conflict)
      }
      #expect(try await session.attachment(cup.label).state == .erased)
    }
  }
}
