import Foundation
import Testing

@testable import Keepsake

@Suite("What a revision leaves as it is")
struct RevisingTests {
  @Test func `a fork has the earlier contents that there were when it was made`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append(.prompt("one"))
      try await session.revise(0, to: .prompt("two"))
      let fork = try await session.fork(before: 1)
      try await session.revise(0, to: .prompt("three"))
      #expect(try await fork.entry(at: 0).text == "two")
      #expect(try await fork.revisions(of: 0).map(\.entry.text) == ["one"])
      #expect(try await session.revisions(of: 0).map(\.entry.text) == ["one", "two"])
    }
  }

  @Test func `what the content does not say stays`() async throws {
    let store = try await Store.temporary()
    let session = try await store.createSession()
    var first = Entry.response("one")
    first.lane = "chat"
    first.author = "assistant"
    first.model = "large"
    first.key = "k"
    try await session.append(first)
    let revised = try await session.revise(0, to: .response("two"))
    #expect(revised.lane == "chat")
    let stored = try await session.entry(at: 0)
    #expect(stored.text == "two")
    #expect(stored.lane == "chat")
    #expect(stored.author == "assistant")
    #expect(stored.model == "large")
    #expect(stored.key == "k")
    #expect(try await store.verify().findings == [])
    try await store.removeTemporary()
  }

  @Test(arguments: ["lane", "author", "model"])
  func `another lane, author or model is a revision, and the earlier one keeps its own`(
    what: String
  ) async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      var first = Entry.response("one")
      first.lane = "chat"
      first.author = "caf\u{E9}"
      first.metadata = .object([("n", .number(1))])
      first = try await session.append(first)
      let early = try await session.fork()
      var other = first
      other.metadata = nil
      switch what {
      case "lane": other.lane = "router"
      case "author": other.author = "cafe\u{301}"
      default: other.model = "small"
      }
      #expect(try await session.revise(0, to: other) == other)
      let stored = try await session.entry(at: 0)
      #expect(stored == other)
      #expect(stored.author?.isSameText(as: other.author ?? "") == true)
      #expect(try await session.revisions(of: 0).map(\.entry) == [first])
      #expect(try await early.entry(at: 0) == first)
      #expect(try await session.revise(0, to: other) == other)
      #expect(try await session.revisions(of: 0).count == 1)
      #expect(try await store.verify().findings == [])
      #expect(try OtherVerifier.run(store.url).status == 0)
    }
  }

  @Test(arguments: ["tool", "call", "kind"])
  func `another kind, tool or call would be another entry`(what: String) async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let first = Entry.toolCalls([Entry.ToolCall(id: "1", tool: "Draw")])
      try await session.append(first)
      try await session.append(.toolOutput(callID: "1", tool: "Draw", segments: [.text("a")]))
      var other = first
      switch what {
      case "tool": other.toolCalls = [Entry.ToolCall(id: "1", tool: "Paint")]
      case "call": other = .toolOutput(callID: "2", tool: "Draw", segments: [.text("a")])
      default: other = .response("a")
      }
      other.status = .failed
      let position = what == "call" ? 1 : 0
      let error = await keepsakeError { try await session.revise(position, to: other) }
      #expect(error?.code == .invalid)
      #expect(try await store.verify().findings == [])
    }
  }

  @Test func `the tags of an entry are those of its newest content`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      var entry = Entry.response("one")
      entry.tags = ["old"]
      entry = try await session.append(entry)
      entry.tags = ["new"]
      entry.segments = [.text("two")]
      try await session.revise(0, to: entry)
      #expect(try await store.search("two", in: .init(tag: "new")).hits.count == 1)
      #expect(try await store.search("two", in: .init(tag: "old")).hits.isEmpty)
    }
  }
}
