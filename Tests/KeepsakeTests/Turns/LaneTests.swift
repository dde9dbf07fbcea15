import Foundation
import Testing

@testable import Keepsake

extension Entry {
  fileprivate func `in`(_ lane: String?) -> Entry {
    var entry = self
    entry.lane = lane
    return entry
  }
}

@Suite struct `Turns of lanes` {
  private func withSession(_ body: (Store, Session) async throws -> Void) async throws {
    try await withTemporaryStore { store in
      try await body(store, try await store.createSession())
      #expect(try await store.verify().findings == [])
    }
  }

  @Test func `what was opened stays open until it is closed, whatever prompts come to it`()
    async throws
  {
    try await withSession { _, session in
      let turn = try await session.openTurn()
      var hidden = Entry.prompt("the weather is fine")
      hidden.visibility = .model
      for entry in [.prompt("a cup"), hidden, .toolCalls([.init(tool: "Draw")]), .response("here")]
      {
        #expect(try await session.append(entry).turn == turn.number)
      }
      #expect(try await session.begin(.tool, "Draw").turn == turn.number)
      #expect(
        try await session.append([.prompt("more"), .prompt("and more")]).map(\.turn) == [1, 1])
      try await session.close(turn, .answered)
      #expect(try await session.append(.response("an afterthought")).turn == turn.number)
      #expect(try await session.append(.prompt("next")).turn == turn.number + 1)
    }
  }

  @Test func `a turn within another one is over when it is closed`() async throws {
    try await withSession { _, session in
      let outer = try await session.openTurn()
      try await session.append(.prompt("outer"))
      let inner = try await session.openTurn()
      #expect(try await session.append(.prompt("inner")).turn == inner.number)
      try await session.close(inner, .answered)
      #expect(try await session.append(.response("outer again")).turn == outer.number)
      #expect(
        try await session.entries(ofTurn: outer.number).map(\.text) == ["outer", "outer again"])
      #expect(try await session.entries(ofTurn: inner.number).map(\.text) == ["inner"])
    }
  }

  @Test(arguments: [true, false])
  func `turns of two lanes that overlap share nothing`(areOpened: Bool) async throws {
    try await withSession { store, session in
      let call = Entry.ToolCall(id: "call_1", tool: "Draw", arguments: #"{"what": "cup"}"#)
      let lanes = ["chat", "title"]
      var turns: [Int] = []
      for lane in lanes {
        if areOpened { _ = try await session.openTurn(lane: lane) }
        turns.append(try #require(try await session.append(Entry.prompt(lane).in(lane)).turn))
      }
      #expect(turns == [1, 2])
      var images: [Entry.Attachment] = []
      for lane in lanes {
        let run = try await session.begin(
          .tool, "Draw", .init(arguments: call.arguments), lane: lane)
        images.append(
          try await session.attach(.init(.data(Data(lane.utf8)), madeBy: .invocation(run))))
        try await session.end(run, .finished, output: "made an image")
      }
      for lane in lanes.reversed() {
        try await session.append([
          Entry.toolCalls([call]).in(lane),
          Entry.toolOutput(for: call, text: "made an image").in(lane),
          Entry.response("there").in(lane),
        ])
      }
      for (index, lane) in lanes.enumerated() {
        let entries = try await session.entries(ofTurn: turns[index])
        #expect(entries.map(\.lane) == [lane, lane, lane, lane])
        #expect(entries.map(\.kind) == [.prompt, .toolCalls, .toolOutput, .response])
        #expect(entries[2].attachments.map(\.recording) == [images[index].recording])
        #expect(try await entries[2].attachments.first?.data() == Data(lane.utf8))
        let trail = try await store.audit(try #require(images[index].artifact).id)
        #expect(trail.attachments.map(\.prompt?.text) == [lane])
      }
      let bases = try await session.invocations().map(\.basis)
      #expect(try await session.attachments().map(\.basis) == bases.compactMap { $0 })
    }
  }

  @Test func `an output never answers another lane's call`() async throws {
    try await withSession { _, session in
      let call = Entry.ToolCall(id: "1", tool: "Draw")
      try await session.append([
        Entry.prompt("a").in("chat"), Entry.toolCalls([call]).in("chat"),
        Entry.prompt("b").in("title"),
      ])
      let run = try await session.begin(.tool, "Draw", callID: "1", lane: "title")
      #expect(run.call == nil)
      let stray = try await session.append(Entry.toolOutput(for: call, text: "b").in("title"))
      #expect(try session.answered(by: try #require(stray.position)) == nil)
      let own = try await session.append(Entry.toolOutput(for: call, text: "a").in("chat"))
      #expect(try session.answered(by: try #require(own.position))?.position == 1)
      // The run was of the other lane's turn.
      #expect(try await session.invocations().map(\.call) == [nil])
    }
  }

  @Test func `a turn without a lane is for all lanes`() async throws {
    try await withSession { _, session in
      let turn = try await session.openTurn()
      let entries = try await session.append([
        .prompt("a cup"), Entry.event("route: image").in("router"),
        Entry.prompt("reword").in("words"),
        Entry.response("a red cup").in("words"), .response("here"),
      ])
      #expect(Set(entries.map(\.turn)) == [turn.number])
      try await session.close(turn, .answered)
      // The next prompt without a lane begins the next turn for all of them.
      let next = try await session.append([
        .prompt("again"), Entry.event("route: text").in("router"),
      ])
      #expect(next.map(\.turn) == [2, 2])
    }
  }

  @Test func `a fork, and a copy, of lanes goes on with turns of its own`() async throws {
    try await withSession { store, session in
      let chat = try await session.openTurn(lane: "chat")
      try await session.append([
        Entry.prompt("chat 1").in("chat"), Entry.prompt("title 2").in("title"),
        Entry.response("chat 1").in("chat"),
      ])
      #expect(try await session.turns().map(\.lane) == ["chat", "title"])
      try await session.close(chat, .answered)
      let fork = try await session.fork()
      #expect(try await fork.append(Entry.prompt("chat 3").in("chat")).turn == 3)
      #expect(try await fork.append(Entry.response("title 2").in("title")).turn == 2)
      #expect(try await fork.entries(ofTurn: 2).map(\.text) == ["title 2", "title 2"])
      #expect(try await fork.entries(ofTurn: 1).map(\.text) == ["chat 1", "chat 1"])
    }
  }
}
