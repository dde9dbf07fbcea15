import KeepsakeSQLite
import Testing

@testable import Keepsake

@Suite("Texts that are too large for the database")
struct LargeTextTests {
  private static let large = String(repeating: "Ein Satz, 藍色. ", count: 150_000)

  @Test func `a text above 1 MiB comes back as it was, and its entry's body stays small`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      var entry = Entry.toolOutput(callID: nil, tool: "Read", segments: [.text("first")])
      entry.segments.append(Entry.Segment(.text(Self.large), id: "big"))
      try await session.append(entry)
      let read = try await session.entry(at: 0)
      #expect(read.segments == entry.segments)
      #expect(read.attachments.isEmpty)
      #expect(try await session.attachments().isEmpty)
      let bodySize = try store.handle.read { db in
        let find = try db.prepare("SELECT length(body) FROM entry")
        return try find.step() ? find.int(0) : -1
      }
      #expect((1..<1000).contains(bodySize))
    }
  }

  @Test func `a revision and a saved list keep their large texts`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append(.response("short"))
      try await session.revise(0, to: .response(Self.large))
      #expect(try await session.entry(at: 0).text == Self.large)
      try await session.revise(0, to: .response("short again"))
      #expect(try await session.revisions(of: 0).map(\.entry.text) == ["short", Self.large])

      let other = try await store.createSession()
      try await other.save([.prompt("read it"), .response(Self.large)])
      #expect(try await other.save([.prompt("read it"), .response(Self.large)]).appended.isEmpty)
      #expect(try await other.entry(at: 1).text == Self.large)
    }
  }

  @Test func `a text at the limit stays in the body`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let text = String(repeating: "x", count: LargeText.limit)
      try await session.append(.prompt(text))
      try await session.append(.prompt(text + "y"))
      #expect(try await session.entry(at: 0).text == text)
      #expect(try await session.entry(at: 1).text == text + "y")
      let kept = try store.handle.read { db in
        let count = try db.prepare("SELECT count(*) FROM artifact")
        return try count.step() ? count.int(0) : -1
      }
      #expect(kept == 1)
    }
  }
}

@Suite("Forks that outlive changes of their parent")
struct ForkPinTests {
  @Test func `a fork shows what its parent said when it forked`() async throws {
    try await withTemporaryStore { store in
      let parent = try await store.createSession()
      try await parent.append([.prompt("one"), .response("two"), .prompt("three")])
      let early = try await parent.fork(before: 2)
      try await parent.revise(1, to: .response("two, better"))
      let late = try await parent.fork()
      try await parent.revise(1, to: .response("two, best"))
      #expect(try await early.entries.all().map(\.text) == ["one", "two"])
      #expect(try await late.entries.all().map(\.text) == ["one", "two, better", "three"])
      #expect(try await parent.entry(at: 1).text == "two, best")
    }
  }

  @Test func `a key that the parent adopts later does not take the entry away`() async throws {
    try await withTemporaryStore { store in
      let parent = try await store.createSession()
      try await parent.append(.prompt("one"))
      let fork = try await parent.fork()
      var keyed = Entry.prompt("one")
      keyed.key = "k"
      try await parent.save([keyed, .response("two")])
      #expect(try await parent.entry(at: 0).key == "k")
      #expect(try await fork.entries.all().map(\.text) == ["one"])
    }
  }
}
