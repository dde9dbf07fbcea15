import Foundation
import Testing

@testable import Keepsake

/// It is when a task is cancelled that an app has to write down how it ended.
@Suite struct `Endings` {
  private func withSession(_ body: (Store, Session) async throws -> Void) async throws {
    try await withTemporaryStore { store in
      try await body(store, try await store.createSession())
      #expect(try await store.verify().findings == [])
    }
  }

  @Test func `arrive from a task that was cancelled, and beginnings do not`() async throws {
    try await withSession { _, session in
      let turn = try await session.openTurn()
      try await session.append(.prompt("a cup"))
      let run = try await session.begin(.tool, "Draw")
      let awaited = try await session.attach(.awaited(madeBy: .invocation(run)))
      let drafts = [
        try await session.draft(), try await session.draft(), try await session.draft(),
      ]
      for draft in drafts { draft.update("so far") }
      try await cancelled {
        try await session.attach(.init(.bytes([1]), madeBy: .invocation(run)))
        try await session.attach(.init(.bytes(.init(repeating: 2, count: 200_000))))
        try await session.settle(awaited, with: .bytes([3]))
        try await session.end(run, .cancelled, detail: "stopped")
        try await drafts[0].finish()
        try await drafts[1].fail()
        try await drafts[2].cancel()
        try await session.close(turn, .cancelled, detail: "stopped")
      }
      #expect(try await session.attachments().map(\.state) == [.present, .present, .present])
      #expect(try await session.invocations().map(\.outcome) == [.cancelled])
      #expect(
        try await session.entries.all().map(\.status) == [
          .complete, .complete, .failed, .cancelled,
        ])
      #expect(try await session.turns().map(\.outcome) == [.cancelled])
      #expect(try await session.drafts().isEmpty)

      for begin: @Sendable () async throws -> Void in [
        { _ = try await session.openTurn() }, { _ = try await session.begin(.tool, "Draw") },
        { _ = try await session.draft() }, { try await session.append(.response("never")) },
        { try await session.save([.prompt("a cup"), .response("never")]) },
        { try await session.revise(0, to: .prompt("never")) },
      ] {
        await #expect(throws: CancellationError.self) { try await cancelled(begin) }
      }
      #expect(try await session.count() == 4)
    }
  }

  @Test func `a turn is closed once, and stays as it was closed`() async throws {
    try await withSession { store, session in
      let turn = try await session.openTurn()
      let first = try await session.close(turn, .failed, detail: "no network", attempts: 3)
      #expect(first.outcome == .failed)
      #expect(first.attempts == 3)
      #expect(try await session.close(turn, .answered) == first)
      #expect(try await session.turns() == [first])
      #expect(try await session.turns(open: true).isEmpty)
      let other = try await store.createSession()
      let error = await keepsakeError { try await other.close(turn, .answered) }
      #expect(error?.code == .notFound)
    }
  }

  @Test func `prompts join the turn that was opened for them, and the next begins its own`()
    async throws
  {
    try await withSession { _, session in
      let turn = try await session.openTurn()
      try await session.append(.event("routing"))
      #expect(try await session.append(.prompt("a")).turn == turn.number)
      #expect(try await session.append(.response("b")).turn == turn.number)
      #expect(try await session.append(.prompt("hidden")).turn == turn.number)
      try await session.close(turn, .answered)
      #expect(try await session.append(.prompt("c")).turn == turn.number + 1)
      #expect(
        try await session.entries(ofTurn: turn.number).map(\.text) == [
          "routing", "a", "b", "hidden",
        ])
      // One that was closed waits for no prompt.
      let closed = try await session.openTurn()
      try await session.close(closed, .cancelled)
      #expect(try await session.append(.prompt("d")).turn == closed.number + 1)
    }
  }
}
