import Keepsake
import Testing

@Suite("What a revision leaves as it is")
struct RevisingTests {
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

  @Test(arguments: ["lane", "author", "model", "tool", "call"])
  func `another lane, author, model, tool or call would be another entry`(what: String)
    async throws
  {
    let store = try await Store.temporary()
    let session = try await store.createSession()
    var first = Entry.toolCalls([Entry.ToolCall(id: "1", tool: "Draw")])
    first.lane = "chat"
    first.author = "assistant"
    first.model = "large"
    try await session.append(first)
    try await session.append(.toolOutput(callID: "1", tool: "Draw", segments: [.text("a")]))
    var other = first
    switch what {
    case "lane": other.lane = "router"
    case "author": other.author = "e\u{301}"
    case "model": other.model = "small"
    case "tool": other.toolCalls = [Entry.ToolCall(id: "1", tool: "Paint")]
    default: other = .toolOutput(callID: "2", tool: "Draw", segments: [.text("a")])
    }
    other.status = .failed
    let position = what == "call" ? 1 : 0
    do {
      try await session.revise(position, to: other)
      Issue.record("it was revised")
    } catch let error as KeepsakeError {
      #expect(error.code == .invalid)
    }
    #expect(try await store.verify().findings == [])
    try await store.removeTemporary()
  }
}
