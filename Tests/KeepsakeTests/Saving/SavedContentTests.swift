import Foundation
import Testing

@testable import Keepsake

@Suite struct `What saving a list keeps of its entries` {
  private func withSession(_ body: (Store, Session) async throws -> Void) async throws {
    try await withTemporaryStore { store in
      try await body(store, try await store.createSession())
      #expect(try await store.verify().isSound)
    }
  }

  private func chat(_ texts: String...) -> [Entry] {
    texts.enumerated().map { $0 % 2 == 0 ? .prompt($1) : .response($1) }
  }

  @Test func `a middle that changed becomes a fork that holds the list`() async throws {
    try await withSession { store, session in
      try await session.save(chat("a", "b", "c", "d"))
      let list = chat("a", "other", "c", "d")
      let error = await keepsakeError { try await session.save(list) }
      #expect(error?.code == .diverged)
      let saved = try await session.save(list, ifDiverging: .fork)
      #expect(try await saved.session.entries.all().map(\.text) == ["a", "other", "c", "d"])
      #expect(try await session.entries.all().map(\.text) == ["a", "b", "c", "d"])
      #expect(try await store.sessions().sessions.count == 2)
      #expect(try await saved.session.save(list).appended.isEmpty)
    }
  }

  @Test func `a list with nothing in common becomes a fork that shares nothing`() async throws {
    try await withSession { _, session in
      try await session.save(chat("a", "b"))
      let saved = try await session.save(chat("x", "y"), ifDiverging: .fork)
      #expect(saved.appended == 0..<2)
      #expect(try await saved.session.entries.all().map(\.text) == ["x", "y"])
    }
  }

  @Test func `turns of equal words are not taken for each other`() async throws {
    try await withSession { _, session in
      for entry in chat("go on", "ok") { try await session.append(entry) }
      let list = chat("go on", "ok", "go on", "ok")
      #expect(try await session.save(list).appended == 2..<4)
      #expect(try await session.save(list).appended.isEmpty)
    }
  }

  @Test func `what others append in between is stepped over`() async throws {
    try await withSession { _, session in
      try await session.save(chat("a", "b"))
      try await session.append(.event("a status line"))
      #expect(try await session.save(chat("a", "b", "c")).appended == 3..<4)
      #expect(try await session.save(chat("a", "b", "c", "d")).appended == 4..<5)
      #expect(
        try await session.entries.all().map(\.text) == ["a", "b", "a status line", "c", "d"])
    }
  }

  @Test func `lists that are saved at the same time are each stored once`() async throws {
    try await withSession { _, session in
      let list = chat("a", "b", "c", "d", "e", "f")
      try await withThrowingTaskGroup(of: Void.self) { group in
        for count in [2, 4, 6, 6, 4, 2] {
          group.addTask { try await session.save(Array(list.prefix(count))) }
        }
        try await group.waitForAll()
      }
      #expect(try await session.entries.all().map(\.text) == list.map(\.text))
    }
  }

  @Test func `an entry that names no lane leaves the stored one's, and is not revised`()
    async throws
  {
    try await withSession { _, session in
      var prompt = Entry.prompt("a")
      prompt.key = "p"
      var stored = prompt
      stored.lane = "chat"
      try await session.append(stored)
      let saved = try await session.save([prompt, .response("b")])
      #expect(saved.revised.isEmpty)
      #expect(try await session.revisions(of: 0).isEmpty)
      #expect(try await session.entry(at: 0).lane == "chat")
    }
  }

  @Test func `what was erased stays erased though the app's list still has it`() async throws {
    try await withSession { _, session in
      var list = chat("a secret", "b")
      list[0].key = "p"
      try await session.save(list)
      try await session.erase(0)
      let saved = try await session.save(list + chat("c"))
      #expect(saved.appended == 2..<3)
      #expect(try await session.entry(at: 0).isErased)
    }
  }

  @Test func `artifacts that entries bring from another session are kept with them`() async throws {
    try await withSession { store, session in
      let source = try await store.createSession()
      let small = Entry.NewAttachment(.bytes([1]), label: "photo", caption: "a photo")
      let large = Entry.NewAttachment(.bytes(.init(repeating: 3, count: 200_000)))
      try await source.append(.prompt("look"), attaching: [small, large])
      let list = try await source.entries.all()

      #expect(try await session.save(list).appended == 0..<1)
      let kept = try await session.entry(at: 0).attachments
      #expect(kept.map(\.artifact?.id) == list[0].attachments.map(\.artifact?.id))
      #expect(kept.map(\.label) == list[0].attachments.map(\.label))
      #expect(kept.map(\.caption) == ["a photo", nil])
      #expect(kept.map(\.segment) == [1, 2])
      #expect(try await kept[1].data().count == 200_000)
      // Saved again, and saved as it is here: nothing is new.
      #expect(try await session.save(list).revised.isEmpty)
      #expect(try await session.save(try await session.entries.all()).revised.isEmpty)
      #expect(try await session.attachments().count == 2)
    }
  }

  @Test func `another artifact under equal text is changed content`() async throws {
    try await withSession { store, session in
      let one = try await store.createSession()
      let two = try await store.createSession()
      try await one.append(.prompt("look"), attaching: [.init(.bytes([1]))])
      try await two.append(.prompt("look"), attaching: [.init(.bytes([2]))])
      try await session.save(try await one.entries.all())
      let saved = try await session.save(try await two.entries.all())
      #expect(saved.revised == [0])
      let kept = try await session.entry(at: 0).attachments
      var bytes: [Data] = []
      for attachment in kept { bytes.append(try await attachment.data()) }
      #expect(bytes == [Data([1]), Data([2])])
      #expect(try await session.save(try await two.entries.all()).revised.isEmpty)
    }
  }
}
