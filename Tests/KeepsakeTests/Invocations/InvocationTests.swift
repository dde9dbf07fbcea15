import Foundation
import Testing

@testable import Keepsake

@Suite struct `Runs of tools` {
  private func withSession(_ body: (Store, Session) async throws -> Void) async throws {
    try await withTemporaryStore { store in
      try await body(store, try await store.createSession())
      #expect(try await store.verify().findings == [])
    }
  }

  @Test func `say what ran, with what, how it went and what it made`() async throws {
    try await withSession { _, session in
      let turn = try await session.openTurn()
      let description = Invocation.Description(
        arguments: #"{ "n" : 1.0 }"#, implementation: "Draw.swift", version: "2", model: "painter",
        parameters: #"{"seed":7}"#)
      let run = try await session.begin(.tool, "Draw", description)
      #expect(run.outcome == nil)
      #expect(run.turn == turn.number)
      #expect(try await session.invocations(running: true) == [run])
      let image = try await session.attach(.init(.bytes([1]), madeBy: .invocation(run)))
      #expect(image.basis == .enclosing)
      #expect(image.invocation == run.id)
      let ended = try await session.end(run, .failed, output: "half", detail: "no paint")
      #expect(ended.outcome == .failed)
      #expect([ended.output, ended.detail] == ["half", "no paint"])
      #expect(ended.description == description)
      #expect(try await session.invocations() == [ended])
      #expect(try await session.invocations(running: true).isEmpty)
      let error = await keepsakeError { try await session.end(run, .finished) }
      #expect(error?.code == .conflict)
    }
  }

  @Test func `belong to the session that recorded them`() async throws {
    try await withSession { store, session in
      let other = try await store.createSession()
      let run = try await other.begin(.tool, "Draw")
      let ending = await keepsakeError { try await session.end(run, .finished) }
      #expect(ending?.code == .notFound)
      let attaching = await keepsakeError {
        try await session.attach(.init(.bytes([1]), madeBy: .invocation(run)))
      }
      #expect(attaching?.code == .notFound)
      #expect(try await session.attachments().isEmpty)
    }
  }

  @Test func `with a call's id are bound to the stored call at once, and steps never`() async throws
  {
    try await withSession { _, session in
      try await session.append(.prompt("x"))
      try await session.append(
        .toolCalls([.init(id: "a", tool: "Look"), .init(id: "b", tool: "Draw")]))
      let run = try await session.begin(.tool, "Draw", callID: "b")
      #expect(run.call == .init(position: 1, ordinal: 1))
      #expect(run.basis == .explicit)
      let image = try await session.attach(.init(.bytes([1]), madeBy: .invocation(run)))
      #expect(image.basis == .explicit)
      #expect(image.call == run.call)
      #expect(try await session.begin(.step, "Thumbnail", callID: "b").call == nil)
    }
  }

  /// Apple's tools are told no call, and the transcript comes when the turn is over, or never.
  @Test(arguments: [false, true])
  func `three equal ones at once, of which one throws, lose nothing when the turn fails`(
    isSavedLater: Bool
  ) async throws {
    try await withSession { _, session in
      let turn = try await session.openTurn()
      try await session.append(.prompt("three cups"))
      let arguments = #"{"what": "cup"}"#
      let made = try await withThrowingTaskGroup(of: (Invocation, Entry.Attachment).self) { group in
        for number in 0..<3 {
          group.addTask {
            let run = try await session.begin(.tool, "Draw", .init(arguments: arguments))
            let image = try await session.attach(
              .init(.bytes([UInt8(number)]), madeBy: .invocation(run)))
            if number == 1 {
              try await session.end(run, .failed, detail: "no paint")
            } else {
              try await session.end(run, .finished, output: "made \(image.label)")
            }
            return (run, image)
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      try await session.close(turn, .failed, detail: "no paint")
      #expect(try await session.attachments().count == 3)
      #expect(try await session.attachments().allSatisfy { $0.turn == turn.number })
      guard isSavedLater else { return }

      let outputs = try await session.invocations().compactMap(\.output)
      let calls = (0..<3).map {
        Entry.ToolCall(id: "call-\($0)", tool: "Draw", arguments: #"{"what":"cup"}"#)
      }
      let list =
        [Entry.prompt("three cups"), .toolCalls(calls)]
        + zip(calls, outputs).map { Entry.toolOutput(for: $0, text: $1) }
      let saved = try await session.save(list)
      #expect(saved.appended == 1..<4)
      #expect(saved.unbound.isEmpty || saved.unbound.map(\.outcome) == [.failed])
      let kept = try await session.attachments()
      #expect(Set(kept.map(\.label)) == Set(made.map(\.1.label)))
      for entry in try await session.entries(after: 1, count: 2) {
        #expect(entry.attachments.map { "made \($0.label)" } == [entry.text])
        #expect(entry.attachments.map(\.basis) == [.explicit])
      }
      let again = try await session.save(list)
      #expect(again.appended.isEmpty)
      #expect(again.revised.isEmpty)
      #expect(try await session.attachments() == kept)
      #expect(try await session.count() == 4)
    }
  }

  @Test func `are inferred by equal arguments only where one alone fits`() async throws {
    try await withSession { _, session in
      try await session.append(.prompt("x"))
      let one = try await session.begin(.tool, "Draw", .init(arguments: #"{"n": 1, "m": 2}"#))
      for _ in 0..<2 { _ = try await session.begin(.tool, "Draw", .init(arguments: "{}")) }
      let saved = try await session.save([
        .prompt("x"),
        .toolCalls([
          .init(id: "1", tool: "Draw", arguments: #"{"m":2,"n":1}"#),
          .init(id: "2", tool: "Draw", arguments: "{}"),
          .init(id: "3", tool: "Draw", arguments: "{}"),
        ]),
      ])
      #expect(saved.unbound.count == 2)
      let bound = try #require(try await session.invocations().first)
      #expect(bound.id == one.id)
      #expect(bound.call == .init(position: 1, ordinal: 0))
      #expect(bound.basis == .inferred)
    }
  }
}
