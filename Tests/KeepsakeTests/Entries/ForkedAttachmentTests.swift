import Foundation
import Keepsake
import Testing

@Suite("What is attached to entries that forks share")
struct ForkedAttachmentTests {
  /// The labels at the first entry, as a session shows them in each of the ways to ask.
  private func labels(_ session: Session, _ location: SourceLocation = #_sourceLocation)
    async throws -> [String]
  {
    let shown = try await session.entry(at: 0).attachments.map(\.label)
    let listed = try await session.attachments().filter { $0.position == 0 }.map(\.label)
    let audited = try await session.audit().attachments.filter { $0.position == 0 }
    #expect(listed == shown, sourceLocation: location)
    #expect(audited.map(\.label) == shown, sourceLocation: location)
    return shown
  }

  private func attachment(_ label: String) -> Entry.NewAttachment {
    Entry.NewAttachment(.data(Data(label.utf8)), label: label, madeBy: .user)
  }

  @Test func `what its parent captions or binds after the fork stays in the fork`() async throws {
    try await withTemporaryStore { store in
      let parent = try await store.createSession()
      try await parent.append([.prompt("zero"), .response("one")])
      let bound = try await parent.attach(attachment("bound"), to: 0)
      let loose = try await parent.attach(attachment("loose"))
      let fork = try await parent.fork()
      #expect(try await labels(fork) == ["bound"])

      try await parent.caption(bound, "a cherry")
      try await parent.bind(loose, to: 0)
      try await parent.attach(attachment("later"), to: 0)
      #expect(try await labels(parent) == ["bound", "loose", "later"])
      #expect(try await labels(fork) == ["bound", "loose"])
      let captions = try await fork.entry(at: 0).attachments[0].captions
      #expect(captions.map(\.text) == ["a cherry"])
      #expect(try await fork.attachment("bound").captions == captions)
      let hits = try await store.search("cherry", in: .init(session: fork.id)).hits
      #expect(hits.map(\.position) == [0])
      try await DeletingTests.isSound(store)

      try await store.deleteSession(parent.id)
      #expect(try await labels(fork) == ["bound", "loose"])
      try await DeletingTests.isSound(store)
    }
  }

  @Test func `what a fork attaches to a shared entry shows in it, and not in its parent`()
    async throws
  {
    try await withTemporaryStore { store in
      let parent = try await store.createSession()
      try await parent.append([.prompt("zero"), .response("one")])
      try await parent.attach(attachment("first"), to: 0)
      let fork = try await parent.fork()
      try await fork.attach(attachment("second"), to: 0)
      try await fork.append(.prompt("two"))
      let leaf = try await fork.fork()
      try await leaf.attach(attachment("third"), to: 0)
      try await fork.attach(attachment("fourth"), to: 0)
      try await parent.attach(attachment("fifth"), to: 0)

      #expect(try await labels(parent) == ["first", "fifth"])
      #expect(try await labels(fork) == ["first", "second", "fourth"])
      #expect(try await labels(leaf) == ["first", "second", "third"])
      #expect(try await leaf.entries.all()[1...].allSatisfy { $0.attachments.isEmpty })
      try await DeletingTests.isSound(store)

      try await store.deleteSession(fork.id)
      try await store.deleteSession(parent.id)
      #expect(try await labels(leaf) == ["first", "second", "third"])
      let data = try await leaf.entry(at: 0).attachments[1].data()
      #expect(data == Data("second".utf8))
      try await DeletingTests.isSound(store)
    }
  }
}
