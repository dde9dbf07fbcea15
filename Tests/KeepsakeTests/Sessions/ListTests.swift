import Foundation
import Testing

@testable import Keepsake

/// Lists of sessions: their order, their pages, and each filter.
@Suite struct `A list of sessions` {
  private let time = Date(timeIntervalSince1970: 1_767_225_600)

  private func titles(_ store: Store, _ filter: Session.Filter = .init(), limit: Int = 50)
    async throws -> [String]
  {
    var titles: [String] = []
    var cursor: Session.Cursor?
    repeat {
      let page = try await store.sessions(filter, limit: limit, after: cursor)
      #expect(page.sessions.count <= limit)
      #expect(page.next == nil || page.sessions.count == limit)
      titles += page.sessions.compactMap(\.title)
      cursor = page.next
    } while cursor != nil
    return titles
  }

  @Test(arguments: [1, 2, 3, 7, 8, 50, Int.max])
  func `has each once where many have the same time, the newest first`(limit: Int) async throws {
    try await withTemporaryStore { store in
      for index in 0..<7 { _ = try await store.createSession(title: "\(index)", created: time) }
      #expect(try await titles(store, limit: limit) == (0..<7).reversed().map(String.init))
    }
  }

  @Test func `repeats and passes over none of those that stay, whatever comes between its pages`()
    async throws
  {
    try await withTemporaryStore { store in
      for index in 0..<10 {
        _ = try await store.createSession(
          title: "\(index)", created: time.addingTimeInterval(Double(index)))
      }
      var read: [String] = []
      var cursor: Session.Cursor?
      repeat {
        let page = try await store.sessions(limit: 3, after: cursor)
        read += page.sessions.compactMap(\.title)
        cursor = page.next.flatMap { Session.Cursor($0.description) }
        #expect(cursor == page.next, "a cursor comes through as text")
        _ = try await store.createSession(title: "new", created: time.addingTimeInterval(100))
      } while cursor != nil
      #expect(read == (0..<10).reversed().map { "\($0)" })
    }
  }

  @Test(arguments: [0, -1, .min]) func `is refused without room for one`(limit: Int) async throws {
    try await withTemporaryStore { store in
      _ = try await store.createSession()
      let error = await keepsakeError { try await store.sessions(limit: limit) }
      #expect(error?.code == .invalid)
    }
  }

  @Test(arguments: ["", "-", "a", "a-b-c", "a-!", "--1", "zzzzzzzzzzzzzzzz-1"])
  func `takes no cursor that is none`(text: String) {
    #expect(Session.Cursor(text) == nil)
  }

  @Test func `is filtered by each condition, and by several at once`() async throws {
    try await withTemporaryStore { store in
      let image = try await store.createSession(
        title: "image", origin: "app", created: time, tags: ["red"])
      try await image.attach(.image("cover"))
      let tool = try await store.createSession(
        title: "tool", origin: "app", created: time.addingTimeInterval(10))
      var call = Entry.toolCalls([.init(id: "1", tool: "Draw")])
      call.created = time.addingTimeInterval(10)
      call.tags = ["red"]
      try await tool.append(call)
      let model = try await store.createSession(
        title: "model", origin: "import", created: time.addingTimeInterval(20), tags: ["blue"])
      var answer = Entry.response("answer")
      answer.created = time.addingTimeInterval(20)
      answer.model = "large"
      try await model.append(answer)

      #expect(try await titles(store) == ["model", "tool", "image"])
      #expect(
        try await titles(store, .init(since: time.addingTimeInterval(10))) == ["model", "tool"])
      #expect(try await titles(store, .init(until: time.addingTimeInterval(10))) == ["image"])
      #expect(try await titles(store, .init(model: "large")) == ["model"])
      #expect(try await titles(store, .init(tool: "Draw")) == ["tool"])
      #expect(try await titles(store, .init(tag: "red")) == ["tool", "image"])
      #expect(try await titles(store, .init(origin: "app")) == ["tool", "image"])
      #expect(try await titles(store, .init(has: "image")) == ["image"])
      #expect(try await titles(store, .init(has: "image/png")) == ["image"])
      for none in ["imag", "image/", "image/p", "%", "audio", ""] {
        #expect(try await titles(store, .init(has: none)) == [], "\(none)")
      }
      #expect(try await titles(store, .init(tag: "red", origin: "app", has: "image")) == ["image"])
      #expect(try await titles(store, .init(tool: "Draw", tag: "red")) == ["tool"])
      #expect(try await titles(store, .init(tool: "Draw", tag: "blue")) == [])
      #expect(try await titles(store, .init(tag: "red"), limit: 1) == ["tool", "image"])
    }
  }

  @Test func `finds a fork by what it shows, and by nothing that came after`() async throws {
    try await withTemporaryStore { store in
      let parent = try await store.createSession(title: "parent")
      var tagged = Entry.prompt("zero")
      tagged.tags = ["entry"]
      try await parent.append([tagged, .toolCalls([.init(id: "1", tool: "Draw")])])
      try await parent.attach(.image("cover"), to: 1)
      _ = try await parent.fork(before: 2, title: "whole")
      _ = try await parent.fork(before: 1, title: "half")
      _ = try await parent.fork(before: 0, title: "nothing")
      try await parent.append(.toolCalls([.init(id: "2", tool: "Late")]))
      func found(_ filter: Session.Filter) async throws -> Set<String> {
        Set(try await titles(store, filter))
      }
      #expect(try await found(.init(tool: "Draw")) == ["parent", "whole"])
      #expect(try await found(.init(has: "image")) == ["parent", "whole"])
      #expect(try await found(.init(tag: "entry")) == ["parent", "whole", "half"])
      #expect(try await found(.init(tool: "Late")) == ["parent"])
    }
  }

  @Test func `does not show what a text that is too large for a row is kept as`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession(title: "large")
      try await session.append(.event(String(repeating: "x", count: LargeText.limit + 1)))
      #expect(try await titles(store, .init(has: "text")) == [])
    }
  }
}
